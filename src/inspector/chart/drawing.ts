import type { Chart } from "./chart.ts";

/** A chart and where everything of it is drawn. Lengths are CSS pixels, from the drawing's top left corner. */
export interface Drawing {
  readonly chart: Chart;
  readonly layout: Layout;
}

export interface Layout extends Size {
  /** Parents before their children. */
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
  /** What the root takes without leaving the state it is in; empty where that is nothing. */
  readonly caption: readonly Text[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Rectangle extends Point, Size {}

/**
 * A state, or what stands for any state within its parent (within the machine
 * where it has none): where a state has transitions to states within itself,
 * they start there.
 */
export interface Box extends Rectangle {
  /** A state's own id; `<state>/any/<target>` for the other kind. */
  readonly id: string;
  readonly kind: "state" | "any";
  /** Id of the box around it; null at the top. */
  readonly parent: string | null;
  /** Ids of what it takes without being left. */
  readonly transitions: readonly string[];
  readonly texts: readonly Text[];
}

/** Transitions from one box to another, drawn as one line. */
export interface Line {
  /** `<source>-><target>`. */
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly transitions: readonly string[];
  /** From the source's border to the target's, with right angles. */
  readonly points: readonly Point[];
  readonly label: Label;
}

/** It lies on its line, that of a loop beside it. */
export interface Label extends Rectangle {
  readonly texts: readonly Text[];
}

/** One row of text: `x` is its left end, `y` its base line. */
export interface Text extends Point {
  readonly text: string;
  readonly role: TextRole;
  readonly width: number;
}

export type TextRole = "title" | "event" | "condition" | "note";
