import type { List, ListItem, PhrasingContent, RootContent, Table } from "mdast";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import { unified } from "unified";
import { wellFormed, type Entity, type Rich } from "./entities.ts";
import { tableGrid } from "./table.ts";

/** Deeper than anybody writes; what lies below is shown as it was written. */
const DEPTH_MAX = 24;
/** Above this a parse may take seconds; such a text is shown as it was written. */
const MARKDOWN_MAX = 400_000;
/** Runs of markers on which the parser's time grows with the square of their number. */
const HOSTILE = /(?:(?:>|[-*+]|\d+[.)])[ \t]*){60}|(?:!?\[){200}|(?:[*_~]+\S? ?){400}|<{500}/;
const LINKABLE = /^(?:https?|tg|mailto|tel):/i;

const parser = unified().use(remarkParse).use(remarkGfm).freeze();

/** Markdown (GFM) as text with entities. Total: what is not understood is shown as it was written. */
export function renderMarkdown(markdown: string): Rich {
  const source = wellFormed(markdown);
  if (source.length > MARKDOWN_MAX || HOSTILE.test(source)) return { text: source, entities: [] };
  const writer = new Writer(source);
  writer.blocks(parser.parse(source).children, 0);
  return writer.rich();
}

type Style = "bold" | "italic" | "strikethrough" | "blockquote";

/** Collects text and entities while it walks the tree. */
class Writer {
  readonly source: string;
  #text = "";
  #entities: Entity[] = [];
  #quoted = false;

  constructor(source: string) {
    this.source = source;
  }

  rich(): Rich {
    const entities = this.#entities.toSorted((a, b) => a.offset - b.offset || b.length - a.length);
    return { text: this.#text, entities };
  }

  blocks(nodes: readonly RootContent[], depth: number, gap = "\n\n"): void {
    for (const [nth, node] of nodes.entries()) {
      if (nth > 0) this.#text += gap;
      this.#block(node, depth);
    }
  }

  #block(node: RootContent, depth: number): void {
    if (depth > DEPTH_MAX) return this.#raw(node);
    switch (node.type) {
      case "paragraph":
        return this.#inlines(node.children, depth + 1);
      case "heading":
        return this.#styled("bold", () => this.#inlines(node.children, depth + 1));
      case "blockquote":
        return this.#quote(() => this.blocks(node.children, depth + 1));
      case "code": {
        const language = (node.lang ?? "").replaceAll(/\s+/g, "");
        return this.#code(node.value, language);
      }
      case "list":
        return this.#list(node, depth);
      case "table":
        return this.#table(node);
      case "thematicBreak":
        this.#text += "———";
        return;
      case "footnoteDefinition":
        this.#text += `[${node.label ?? node.identifier}] `;
        return this.blocks(node.children, depth + 1, "\n");
      case "html":
        this.#text += node.value;
        return;
      default:
        return this.#raw(node);
    }
  }

  #list(list: List, depth: number): void {
    const gap = list.spread === true ? "\n\n" : "\n";
    for (const [nth, item] of list.children.entries()) {
      if (nth > 0) this.#text += gap;
      const mark = list.ordered === true ? `${(list.start ?? 1) + nth}.` : "•";
      this.#item(item, mark, depth);
    }
  }

  #item(item: ListItem, mark: string, depth: number): void {
    const box =
      item.checked === null || item.checked === undefined ? "" : item.checked ? "☑ " : "☐ ";
    const begin = this.#text.length;
    this.#text += `${mark} ${box}`;
    const inside = this.#text.length;
    this.blocks(item.children, depth + 1, item.spread === true ? "\n\n" : "\n");
    this.#indent(inside, " ".repeat(Math.min(mark.length + 1, 4)));
    // An empty item keeps its mark only.
    if (this.#text.length === inside) this.#text = this.#text.slice(0, begin) + mark;
  }

  /** Indents every line after the first and moves the entities behind them. */
  #indent(from: number, by: string): void {
    const breaks: number[] = [];
    const body = this.#text.slice(from);
    for (let at = body.indexOf("\n"); at !== -1; at = body.indexOf("\n", at + 1)) {
      breaks.push(from + at + 1);
    }
    if (breaks.length === 0) return;
    this.#text = this.#text.slice(0, from) + body.replaceAll("\n", `\n${by}`);
    this.#entities = this.#entities.map((entity) => {
      const end = entity.offset + entity.length;
      if (end <= from) return entity;
      const begin = entity.offset + by.length * countUpTo(breaks, entity.offset);
      const until = end + by.length * countUpTo(breaks, end - 1);
      return { ...entity, offset: begin, length: until - begin };
    });
  }

  #table(table: Table): void {
    const rows = table.children.map((row) =>
      row.children.map((cell) => {
        const writer = new Writer(this.source);
        writer.#inlines(cell.children, 1);
        return writer.#text.replaceAll("\n", " ");
      }),
    );
    this.#code(tableGrid(rows, table.align ?? []), "");
  }

  #inlines(nodes: readonly PhrasingContent[], depth: number): void {
    for (const node of nodes) this.#inline(node, depth);
  }

  #inline(node: PhrasingContent, depth: number): void {
    if (depth > DEPTH_MAX) return this.#raw(node);
    switch (node.type) {
      case "text":
      case "html":
        this.#text += node.value;
        return;
      case "strong":
        return this.#styled("bold", () => this.#inlines(node.children, depth + 1));
      case "emphasis":
        return this.#styled("italic", () => this.#inlines(node.children, depth + 1));
      case "delete":
        return this.#styled("strikethrough", () => this.#inlines(node.children, depth + 1));
      case "inlineCode": {
        const offset = this.#text.length;
        this.#text += node.value;
        this.#add({ type: "code", offset, length: node.value.length });
        return;
      }
      case "break":
        this.#text += "\n";
        return;
      case "link":
        return this.#link(node.url, () => this.#inlines(node.children, depth + 1));
      case "image":
        return this.#link(node.url, () => {
          this.#text += `🖼 ${node.alt === null || node.alt === undefined || node.alt === "" ? node.url : node.alt}`;
        });
      case "footnoteReference":
        this.#text += `[${node.label ?? node.identifier}]`;
        return;
      default:
        return this.#raw(node);
    }
  }

  #link(url: string, label: () => void): void {
    const offset = this.#text.length;
    label();
    const shown = this.#text.slice(offset);
    if (shown === url || `mailto:${shown}` === url || `http://${shown}` === url) return;
    if (LINKABLE.test(url) && shown.trim() !== "") {
      this.#add({ type: "text_link", offset, length: shown.length, url });
      return;
    }
    this.#text += shown === "" ? url : ` (${url})`;
  }

  #code(value: string, language: string): void {
    const offset = this.#text.length;
    this.#text += value;
    const at = { type: "pre", offset, length: value.length } as const;
    this.#add(language === "" ? at : { ...at, language });
  }

  /** Quotes do not nest in Telegram: an inner one is part of the outer. */
  #quote(inside: () => void): void {
    if (this.#quoted) {
      inside();
      return;
    }
    this.#quoted = true;
    this.#styled("blockquote", inside);
    this.#quoted = false;
  }

  #styled(type: Style, inside: () => void): void {
    const offset = this.#text.length;
    inside();
    this.#add({ type, offset, length: this.#text.length - offset });
  }

  /** Code holds nothing and is held by a quote only; the same style twice is once. */
  #add(entity: Entity): void {
    const end = entity.offset + entity.length;
    if (this.#text.slice(entity.offset, end).trim() === "") return;
    const inside = (one: Entity) => one.offset >= entity.offset && one.offset + one.length <= end;
    const held = this.#entities.filter(inside);
    if (entity.type === "text_link" && held.some((one) => one.type === "text_link")) return;
    if (entity.type === "blockquote") {
      this.#entities.push(entity);
      return;
    }
    if (held.some((one) => one.type === "code" || one.type === "pre")) {
      this.#entities.push(...around(entity, held));
      return;
    }
    this.#entities = this.#entities.filter((one) => !(inside(one) && one.type === entity.type));
    this.#entities.push(entity);
  }

  #raw(node: RootContent): void {
    const { start, end } = node.position ?? {};
    this.#text += this.source.slice(start?.offset ?? 0, end?.offset ?? 0);
  }
}

/** A style in pieces, left out where code stands. */
function around(entity: Entity, held: readonly Entity[]): readonly Entity[] {
  const pieces: Entity[] = [];
  let at = entity.offset;
  const end = entity.offset + entity.length;
  const codes = held.filter((one) => one.type === "code" || one.type === "pre");
  for (const code of codes.toSorted((a, b) => a.offset - b.offset)) {
    if (code.offset > at) pieces.push({ ...entity, offset: at, length: code.offset - at });
    at = code.offset + code.length;
  }
  if (end > at) pieces.push({ ...entity, offset: at, length: end - at });
  return pieces;
}

/** How many of the sorted places lie at or before one. */
function countUpTo(places: readonly number[], at: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
