import type { FootnoteDefinition, List, ListItem, RootContent, Table } from "mdast";
import type { Builder } from "./builder.ts";
import { deeper, isTooDeep, plainText, sourceOf, writeInlines } from "./inline.ts";
import type { Context } from "./inline.ts";
import { formatGrid } from "./table.ts";

export interface BlockContext extends Context {
  /** Identifiers of link definitions that something refers to. */
  readonly referenced: ReadonlySet<string>;
}

const RULE = "──────────";

/** Blocks keep the distance that the source gives them: an empty line or none. */
export function writeBlocks(
  out: Builder,
  nodes: readonly RootContent[],
  context: BlockContext,
): void {
  let previousEnd: number | null = null;
  for (const node of nodes) {
    if (!isShown(node, context)) continue;
    if (previousEnd !== null) out.newline((node.position?.start.line ?? 0) - previousEnd > 1);
    previousEnd = node.position?.end.line ?? 0;
    if (isTooDeep(context)) out.text(sourceOf(node, context));
    else writeBlock(out, node, { ...deeper(context), referenced: context.referenced });
  }
}

/** A definition that nothing refers to is text that looks like one: `[INFO]: started`. */
function isShown(node: RootContent, context: BlockContext): boolean {
  return node.type !== "definition" || !context.referenced.has(node.identifier);
}

function writeBlock(out: Builder, node: RootContent, context: BlockContext): void {
  switch (node.type) {
    case "paragraph":
      return writeInlines(out, node.children, context);
    case "heading":
      return out.style("bold", () => writeInlines(out, node.children, context));
    case "code":
      return out.pre(node.value, languageOf(node.lang ?? ""));
    case "blockquote":
      return out.quote(() => writeBlocks(out, node.children, context));
    case "list":
      return writeList(out, node, context);
    case "listItem":
      return writeItem(out, node, "• ", context);
    case "table":
      return writeTable(out, node, context);
    case "footnoteDefinition":
      return writeFootnote(out, node, context);
    case "thematicBreak":
      return out.text(RULE);
    case "html":
      return out.text(node.value);
    case "definition":
      return out.text(sourceOf(node, context));
    case "tableRow":
    case "tableCell":
    case "yaml":
      return out.text(sourceOf(node, context));
    default:
      return writeInlines(out, [node], context);
  }
}

const LANGUAGE_MAX = 64;

export function languageOf(info: string): string {
  const [word = ""] = info.trim().split(/\s/);
  return word.length > LANGUAGE_MAX ? "" : word;
}

function writeList(out: Builder, list: List, context: BlockContext): void {
  const first = list.start ?? 1;
  let previousEnd: number | null = null;
  for (const [index, item] of list.children.entries()) {
    if (previousEnd !== null) out.newline((item.position?.start.line ?? 0) - previousEnd > 1);
    previousEnd = item.position?.end.line ?? 0;
    writeItem(out, item, list.ordered === true ? `${first + index}. ` : "• ", context);
  }
}

function writeItem(out: Builder, item: ListItem, bullet: string, context: BlockContext): void {
  const box = item.checked === true ? "☑ " : item.checked === false ? "☐ " : "";
  const marker = box !== "" && bullet === "• " ? box : bullet + box;
  const [child] = item.children;
  const beside = child?.type === "paragraph" || child?.type === "heading" || child?.type === "html";
  out.text(beside ? marker : marker.trimEnd());
  if (child === undefined) return;
  if (!beside) out.newline(false);
  out.indented(" ".repeat(bullet.length), () => writeBlocks(out, item.children, context));
}

function writeFootnote(out: Builder, note: FootnoteDefinition, context: BlockContext): void {
  out.text(`[${note.label ?? note.identifier}] `);
  out.indented("  ", () => writeBlocks(out, note.children, context));
}

function writeTable(out: Builder, table: Table, context: BlockContext): void {
  const rows = table.children.map((row) =>
    row.children.map((cell) => plainText(cell.children, context).replaceAll("\n", " ").trim()),
  );
  out.pre(formatGrid(rows, table.align ?? []), "");
}
