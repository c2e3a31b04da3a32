import type { Nodes, Root } from "mdast";
import { markdownParser } from "../../../markdown/parser.ts";
import { writeBlocks } from "./blocks.ts";
import { createBuilder } from "./builder.ts";
import { cleanText } from "./clean.ts";
import { moveEntity } from "./entities.ts";
import type { Entity, Rich } from "./entities.ts";
import { cutSegments } from "./segments.ts";
import type { Segment } from "./segments.ts";

/**
 * GFM as text and entities, of any length. Never throws, and takes a time in proportion to the
 * length: what nests too deeply or is too long to be parsed is shown as its source.
 */
export function renderMarkdown(markdown: string): Rich {
  const texts: string[] = [];
  const entities: Entity[] = [];
  let length = 0;
  for (const segment of cutSegments(cleanText(markdown))) {
    const rich = renderSegment(segment);
    if (rich.text === "") continue;
    const text = length === 0 ? rich.text : segment.gap + rich.text;
    const start = length + text.length - rich.text.length;
    for (const entity of rich.entities) entities.push(moveEntity(entity, start));
    texts.push(text);
    length += text.length;
  }
  return { text: texts.join(""), entities };
}

function renderSegment(segment: Segment): Rich {
  const out = createBuilder();
  if (segment.kind === "literal") out.text(segment.source);
  else if (segment.kind === "fence") out.pre(segment.source, segment.language);
  else return renderParsed(segment.source);
  return out.toRich();
}

function renderParsed(source: string): Rich {
  try {
    const out = createBuilder();
    const root = markdownParser.parse(source);
    const { definitions, referenced } = collectReferences(root);
    const context = { source, definitions, referenced, depth: 0, plain: false };
    writeBlocks(out, root.children, context);
    return out.toRich();
  } catch (error) {
    // The parser recurses: nesting that the segments' estimate missed ends here.
    if (!(error instanceof RangeError)) throw error;
    const out = createBuilder();
    out.text(source);
    return out.toRich();
  }
}

function collectReferences(root: Root) {
  const definitions = new Map<string, string>();
  const referenced = new Set<string>();
  const pending: Nodes[] = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.type === "linkReference" || node.type === "imageReference") {
      referenced.add(node.identifier);
    }
    // In reverse: of two definitions the first one counts, and it is met last.
    if (node.type === "definition") definitions.set(node.identifier, node.url);
    if ("children" in node) pending.push(...node.children);
  }
  return { definitions, referenced };
}
