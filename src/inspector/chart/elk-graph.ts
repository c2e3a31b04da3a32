import type { ElkExtendedEdge, ElkNode, LayoutOptions } from "elkjs/lib/elk-api.js";
import type { Sketch, SketchBox, SketchLine } from "./sketch.ts";
import { blockOf, wrapRows, type TextBlock } from "./text-block.ts";

const LABEL_WIDTH = 170;
const BOX_PADDING = { x: 10, y: 8 };
const ANY_PADDING = { x: 10, y: 4 };
const LABEL_PADDING = { x: 4, y: 2 };
const INSIDE_PADDING = 16;

/** https://eclipse.dev/elk/reference/options.html */
const OPTIONS: LayoutOptions = {
  "elk.algorithm": "layered",
  "elk.direction": "DOWN",
  "elk.edgeRouting": "ORTHOGONAL",
  "elk.hierarchyHandling": "INCLUDE_CHILDREN",
  "elk.json.shapeCoords": "ROOT",
  "elk.json.edgeCoords": "ROOT",
  "elk.padding": "[top=0,left=0,bottom=0,right=0]",
  "elk.spacing.nodeNode": "20",
  "elk.spacing.edgeNode": "12",
  "elk.spacing.edgeEdge": "10",
  "elk.spacing.labelNode": "8",
  "elk.spacing.portPort": "12",
  "elk.layered.spacing.nodeNodeBetweenLayers": "16",
  "elk.layered.spacing.edgeNodeBetweenLayers": "12",
  "elk.layered.spacing.edgeEdgeBetweenLayers": "10",
  "elk.layered.cycleBreaking.strategy": "BFS_NODE_ORDER",
  "elk.layered.nodePlacement.strategy": "NETWORK_SIMPLEX",
  "elk.layered.compaction.postCompaction.strategy": "EDGE_LENGTH",
  "elk.layered.compaction.postCompaction.constraints": "QUADRATIC",
};

/** What ELK is asked to lay out. The seed decides between orders of boxes that it finds equally good. */
export function elkGraph({ boxes, lines }: Sketch, seed: number): ElkNode {
  return {
    id: "drawing",
    layoutOptions: { ...OPTIONS, "elk.randomSeed": String(seed) },
    children: boxes.map(elkNode),
    edges: lines.map(elkEdge),
  };
}

export function boxBlock({ kind, texts }: SketchBox): TextBlock {
  return blockOf(texts, kind === "any" ? ANY_PADDING : BOX_PADDING);
}

export function labelBlock({ texts }: SketchLine): TextBlock {
  return blockOf(wrapRows(texts, LABEL_WIDTH), LABEL_PADDING);
}

function elkNode(box: SketchBox): ElkNode {
  const { width, height } = boxBlock(box);
  const sides = `left=${INSIDE_PADDING},bottom=${INSIDE_PADDING},right=${INSIDE_PADDING}`;
  return {
    id: box.id,
    layoutOptions: {
      "elk.padding": `[top=${height + INSIDE_PADDING / 2},${sides}]`,
      // Room for the text, and for the lines that arrive side by side.
      "elk.nodeSize.constraints": "[MINIMUM_SIZE, PORTS]",
      "elk.nodeSize.minimum": `(${width},${height})`,
      ...(box.isStart ? { "elk.layered.layering.layerConstraint": "FIRST" } : {}),
    },
    children: box.boxes.map(elkNode),
  };
}

function elkEdge(line: SketchLine): ElkExtendedEdge {
  const { width, height } = labelBlock(line);
  const layoutOptions = { "elk.edgeLabels.inline": "true" };
  // Without a text ELK passes over a label.
  const label = { id: `${line.id}/label`, text: line.id, width, height, layoutOptions };
  return { id: line.id, sources: [line.source], targets: [line.target], labels: [label] };
}
