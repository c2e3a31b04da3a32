import type {
  Image,
  ImageReference,
  Link,
  LinkReference,
  Nodes,
  PhrasingContent,
  Strong,
} from "mdast";
import { createBuilder } from "./builder.ts";
import type { Builder } from "./builder.ts";
import { cleanText, isBlank } from "./clean.ts";
import { linkTarget, shownTarget } from "./links.ts";

export interface Context {
  readonly source: string;
  /** Addresses of link definitions by their identifier. */
  readonly definitions: ReadonlyMap<string, string>;
  readonly depth: number;
  /** Entities cannot be used here: addresses are shown. */
  readonly plain: boolean;
}

/** Deeper nesting is shown as its source: it would end in a stack overflow. */
const DEPTH_MAX = 100;

export function isTooDeep({ depth }: Context): boolean {
  return depth > DEPTH_MAX;
}

export function deeper(context: Context): Context {
  return { ...context, depth: context.depth + 1 };
}

export function sourceOf({ position }: Nodes, { source }: Context): string {
  return source.slice(position?.start.offset ?? 0, position?.end.offset ?? 0);
}

export function writeInlines(
  out: Builder,
  nodes: readonly PhrasingContent[],
  context: Context,
): void {
  for (const [index, node] of nodes.entries()) {
    if (isTooDeep(context)) out.text(sourceOf(node, context));
    else writeInline(out, node, nodes[index + 1], deeper(context));
  }
}

function writeInline(
  out: Builder,
  node: PhrasingContent,
  next: PhrasingContent | undefined,
  context: Context,
): void {
  switch (node.type) {
    case "text":
    case "html":
      return out.text(node.value);
    case "inlineCode":
      return out.code(node.value);
    case "break":
      return out.text("\n");
    case "emphasis":
      return out.style("italic", () => writeInlines(out, node.children, context));
    case "delete":
      return out.style("strikethrough", () => writeInlines(out, node.children, context));
    case "strong":
      if (isDunder(node, next, context)) return out.text(sourceOf(node, context));
      return out.style("bold", () => writeInlines(out, node.children, context));
    case "link":
    case "linkReference":
      return writeLink(out, node, context);
    case "image":
    case "imageReference":
      return writeTarget(out, addressOf(node, context), node.alt ?? "", context, () =>
        out.text(node.alt ?? ""),
      );
    case "footnoteReference":
      return out.text(`[${node.label ?? node.identifier}]`);
  }
}

function addressOf(node: Link | LinkReference | Image | ImageReference, context: Context): string {
  if ("url" in node) return node.url;
  return context.definitions.get(node.identifier) ?? "";
}

function writeLink(out: Builder, node: Link | LinkReference, context: Context): void {
  const label = plainText(node.children, context);
  writeTarget(out, addressOf(node, context), label, context, () =>
    writeInlines(out, node.children, context),
  );
}

/** A link where Telegram takes the address, `label (address)` elsewhere; without a label the address. */
function writeTarget(
  out: Builder,
  address: string,
  label: string,
  context: Context,
  writeLabel: () => void,
): void {
  const shown = cleanText(shownTarget(address)).trim();
  const bare = isBlank(label);
  const write = bare ? () => out.text(shown) : writeLabel;
  const url = context.plain ? null : linkTarget(cleanText(address));
  if (url !== null) return out.link(url, write);
  write();
  const said = bare || [shown, address].some((form) => label.trim() === form);
  if (!said && shown !== "" && shown !== `http://${label.trim()}`) out.text(` (${shown})`);
}

export function plainText(nodes: readonly PhrasingContent[], context: Context): string {
  const out = createBuilder();
  writeInlines(out, nodes, { ...context, plain: true });
  return out.toRich().text;
}

/** Names that Python and JavaScript write between double underscores. GFM would make them bold. */
const DUNDER_NAMES = new Set(
  (
    "all annotations bool call class contains copy del delitem dict dirname doc enter eq exit file " +
    "filename fixtures future getattr getitem hash init init_subclass iter len main mocks module " +
    "name new next path post_init proto pycache repr setattr setitem slots snapshots str tests " +
    "typename version"
  ).split(" "),
);

/** `__init__`, or any `__word__` that goes on as a name does: `__word__.py`, `__word__()`. */
function isDunder(node: Strong, next: PhrasingContent | undefined, context: Context): boolean {
  const [, name] = /^__([A-Za-z]\w*)__$/.exec(sourceOf(node, context)) ?? [];
  if (name === undefined) return false;
  return DUNDER_NAMES.has(name) || (next?.type === "text" && /^(?:\.\w|\()/.test(next.value));
}
