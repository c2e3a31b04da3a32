/** A piece of a Markdown text that means the same when it is parsed by itself. */
export interface Block {
  /** A fence is code from its first character to its last. */
  readonly kind: "text" | "fence";
  readonly start: number;
  readonly end: number;
}

/**
 * Whether a list has ended or goes on around a fence or HTML, only the parser
 * knows: no cut is made behind such a place, until the block is as long as this.
 */
const UNCLEAR_MAX = 12_000;

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const CLOSING = /^ {0,3}(`{3,}|~{3,})[ \t\r]*$/;
/** What goes on over empty lines, and where it ends. */
const HTML: readonly (readonly [begins: RegExp, ends: RegExp])[] = [
  [/^ {0,3}<(?:pre|script|style|textarea)(?=[\s>]|$)/i, /<\/(?:pre|script|style|textarea)>/i],
  [/^ {0,3}<!--(?!-?>)/, /-->/],
  [/^ {0,3}<\?/, /\?>/],
  [/^ {0,3}<!\[CDATA\[/, /\]\]>/],
  [/^ {0,3}<![a-z]/i, />/],
];
const HTML_CODE = /<(\/?)(?:pre|code|samp|kbd|tt|xmp|script|style|textarea)(?=[\s/>]|$)/gi;
/** What may go on to the next empty line, with a fence in it that is none. */
const TAG = /^ {0,3}<\/?[a-z]/i;
/** What may hold a fence that is indented. */
const CONTAINER = /^ {0,3}(?:(?:[-*+]|\d{1,9}[.)])(?:\s|$)|\[\^)/;
const EMPTY = /^[ \t\r]*$/;

/**
 * Cuts before every line of the margin that follows an empty one, where no
 * fence and no HTML is open: everything else has ended there. Linear.
 */
export function cutBlocks(text: string): readonly Block[] {
  const blocks: Block[] = [];
  const here = { begun: 0, isListed: false, isTagged: false, isUnclear: false };
  let isAfterEmpty = false;
  let open: Open | null = null;
  const cut = (end: number, kind: Block["kind"]): void => {
    if (end > here.begun) blocks.push({ kind, start: here.begun, end });
    Object.assign(here, { begun: end, isListed: false, isTagged: false, isUnclear: false });
  };
  let start = 0;
  for (const line of text.split("\n")) {
    const end = Math.min(start + line.length + 1, text.length);
    if (open === null) {
      if (here.isUnclear && start - here.begun > UNCLEAR_MAX) here.isUnclear = false;
      if (isAfterEmpty && !here.isUnclear && /^\S/.test(line)) cut(start, "text");
      here.isListed ||= CONTAINER.test(line);
      open = openedBy(line);
      // At the margin a fence ends every list.
      const mayBeInside = here.isListed && (open?.kind === "html" || line.startsWith(" "));
      if (open !== null && (mayBeInside || here.isTagged)) here.isUnclear = true;
      if (open === null && leavesCode(line)) here.isUnclear = true;
      here.isTagged ||= TAG.test(line);
      if (here.isUnclear) open = null;
      if (open?.kind === "fence") cut(start, "text");
    } else {
      if (open.kind === "html" && leavesCode(line)) here.isUnclear = true;
      if (open.ends(line)) {
        if (open.kind === "fence") cut(end, "fence");
        open = null;
      }
    }
    isAfterEmpty = EMPTY.test(line);
    if (isAfterEmpty) here.isTagged = false;
    start = end;
  }
  cut(text.length, open?.kind === "fence" ? "fence" : "text");
  return blocks;
}

/** Whether nothing of a block is open at its end, so that what follows is none of it. */
export function endsWithItself(block: string): boolean {
  const lines = block.endsWith("\n") ? block : `${block}\n`;
  const last = cutBlocks(`${lines}~~~`).at(-1);
  return last?.kind === "fence" && last.start === lines.length;
}

interface Open {
  readonly kind: "fence" | "html";
  ends(line: string): boolean;
}

/** Whether code in HTML may go on behind a line, over empty ones too. */
function leavesCode(line: string): boolean {
  if (!line.includes("<")) return false;
  const last = [...line.matchAll(HTML_CODE)].at(-1);
  return last !== undefined && last[1] === "";
}

function openedBy(line: string): Open | null {
  const [whole = "", mark] = FENCE.exec(line) ?? [];
  // With another backtick behind it, it is inline code.
  if (mark !== undefined && !(mark.startsWith("`") && line.includes("`", whole.length))) {
    return { kind: "fence", ends: (later) => CLOSING.exec(later)?.[1]?.startsWith(mark) === true };
  }
  if (!line.includes("<")) return null;
  for (const [begins, ends] of HTML) {
    const begun = begins.exec(line)?.[0];
    if (begun === undefined) continue;
    return ends.test(line.slice(begun.length))
      ? null
      : { kind: "html", ends: (later) => ends.test(later) };
  }
  return null;
}
