import { cleanText, expandTabs, isBlank } from "./clean.ts";
import { byPosition } from "./entities.ts";
import type { Entity, EntityType, Rich } from "./entities.ts";

type Style = "bold" | "italic" | "strikethrough";

/** Writes text and the entities over it, keeping what Telegram forbids from arising. */
export interface Builder {
  /** Lines after the first begin with the current indentation. */
  text(value: string): void;
  /** Inside a link plain text: the two cannot nest, and the link says more. */
  code(value: string): void;
  style(style: Style, write: () => void): void;
  link(url: string, write: () => void): void;
  /** A block of code from the margin. Without visible text nothing is written. */
  pre(value: string, language: string): void;
  /** Quotes do not nest: an inner one is marked with `> `. */
  quote(write: () => void): void;
  indented(prefix: string, write: () => void): void;
  /** Ends the line, `blank` leaves one empty. Nothing at the beginning. */
  newline(blank: boolean): void;
  toRich(): Rich;
}

/** Nesting beyond this many columns is not shown by more indentation. */
const INDENT_MAX = 24;

export function createBuilder(): Builder {
  const entities: Entity[] = [];
  /** Where a style in force began; it begins anew after code, which it may not cover. */
  const styles = new Map<Style, number>();
  let out = "";
  let indent = "";
  let linked = false;
  let quoted = false;

  const startLine = () => {
    if (out === "" || out.endsWith("\n")) out += indent;
  };
  const emit = (type: EntityType, start: number, rest: Pick<Entity, "url" | "language"> = {}) => {
    const covered = trimCovered(out, type, start);
    if (covered !== null) entities.push({ type, ...covered, ...rest });
  };
  const text = (value: string) => {
    for (const [index, line] of expandTabs(cleanText(value)).split("\n").entries()) {
      if (index > 0) out += "\n";
      if (line === "") continue;
      startLine();
      out += line;
    }
  };
  const newline = (blank: boolean) => {
    if (out === "") return;
    if (!out.endsWith("\n")) out += "\n";
    if (blank && !out.endsWith("\n\n")) out += "\n";
  };
  const indented = (prefix: string, write: () => void) => {
    const outer = indent;
    if (indent.length < INDENT_MAX) indent += prefix;
    write();
    indent = outer;
  };

  return {
    text,
    newline,
    indented,
    code(value) {
      if (linked) return text(value);
      startLine();
      for (const [style, start] of styles) emit(style, start);
      const start = out.length;
      out += expandTabs(cleanText(value)).replaceAll("\n", " ");
      emit("code", start);
      for (const style of styles.keys()) styles.set(style, out.length);
    },
    style(style, write) {
      if (styles.has(style)) return write();
      startLine();
      styles.set(style, out.length);
      write();
      emit(style, styles.get(style) ?? out.length);
      styles.delete(style);
    },
    link(url, write) {
      if (linked) return write();
      startLine();
      const start = out.length;
      linked = true;
      write();
      linked = false;
      emit("text_link", start, { url });
    },
    pre(value, language) {
      const code = expandTabs(cleanText(value)).replace(/^\n+/, "").trimEnd();
      if (isBlank(code)) return;
      newline(false);
      const start = out.length;
      out += code;
      emit("pre", start, language === "" ? {} : { language });
    },
    quote(write) {
      if (quoted) return indented("> ", write);
      newline(false);
      const outer = indent;
      const start = out.length;
      indent = "";
      quoted = true;
      write();
      quoted = false;
      indent = outer;
      emit("blockquote", start);
    },
    toRich: () => ({ text: out, entities: entities.toSorted(byPosition) }),
  };
}

/** The server drops an entity over nothing visible, and trims the text under one at its edges. */
function trimCovered(
  out: string,
  type: EntityType,
  start: number,
): { offset: number; length: number } | null {
  const covered = out.slice(start);
  if (isBlank(covered)) return null;
  if (type === "code" || type === "pre") return { offset: start, length: covered.length };
  // A quote may begin with indented code, which must stay inside it.
  const [edge = ""] = (type === "blockquote" ? /^\n*/ : /^\s*/).exec(covered) ?? [];
  return { offset: start + edge.length, length: covered.trimEnd().length - edge.length };
}
