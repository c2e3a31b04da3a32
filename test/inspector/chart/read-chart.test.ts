import { describe, expect, it } from "vitest";
import type { AnyStateMachine } from "xstate";
import { toDirectedGraph, type DirectedGraphNode } from "xstate/graph";
import type { Chart, ChartState } from "../../../src/inspector/chart/chart.ts";
import { chartOf, MACHINE_NAMES } from "../../../src/inspector/chart/chart-of.ts";
import { MACHINES } from "../../../src/inspector/chart/machines.ts";
import { statesIn } from "../../../src/inspector/chart/walk-chart.ts";
import { partsOf } from "../../support/transition-coverage.ts";

/** A chart's states and transitions, named as the path tests name those that real actors go through. */
function partsIn(chart: Chart): readonly string[] {
  const transitions = chart.transitions.map(({ id, source, event, targets }) => {
    const place = id.slice(id.lastIndexOf("/") + 1);
    const to = targets.length === 0 ? "no state" : targets.join();
    return `${source} — ${event.type === "" ? "always" : event.type} [${place}] → ${to}`;
  });
  return [...statesIn(chart.root).map(({ id }) => id), ...transitions];
}

interface Tree {
  readonly id: string;
  readonly inside: readonly Tree[];
}

const treeOf = ({ id, states }: ChartState): Tree => ({ id, inside: states.map(treeOf) });
const graphTree = ({ id, children }: DirectedGraphNode): Tree => ({
  id,
  inside: children.map(graphTree),
});

describe.each(MACHINE_NAMES)("the chart of the %s machine", (name) => {
  const machine: AnyStateMachine = MACHINES[name];
  const chart = chartOf(name);

  it("has every state and every transition of the definition, each once", () => {
    expect(partsIn(chart).toSorted()).toEqual(partsOf(machine).toSorted());
  });

  it("nests the states as xstate's own graph does", () => {
    expect(treeOf(chart.root)).toEqual(graphTree(toDirectedGraph(machine)));
  });

  it("survives JSON unchanged", () => {
    expect(JSON.parse(JSON.stringify(chart))).toEqual(chart);
  });

  it("keeps the order in which a state tries its transitions for an event", () => {
    const places = new Map<string, number[]>();
    for (const { id } of chart.transitions) {
      const at = id.lastIndexOf("/");
      places.set(id.slice(0, at), [
        ...(places.get(id.slice(0, at)) ?? []),
        Number(id.slice(at + 1)),
      ]);
    }
    for (const found of places.values()) expect(found).toEqual([...found.keys()]);
  });
});

describe("the chart of the session machine", () => {
  const chart = chartOf("session");
  const taken = (source: string, type: string) =>
    chart.transitions.filter((one) => one.source === source && one.event.type === type);

  it("marks the root's transitions, and no others", () => {
    const marked = chart.transitions.filter(({ fromAnyState }) => fromAnyState);
    expect(new Set(marked.map(({ source }) => source))).toEqual(new Set(["session"]));
    expect(taken("session", "shutdown")).toEqual([
      expect.objectContaining({ targets: ["session.stopping"], fromAnyState: true }),
    ]);
  });

  it("tells what a state does on entering and leaving, without what xstate adds for delays", () => {
    const found = statesIn(chart.root).find(({ id }) => id === "session.running.awaiting-approval");
    expect(found).toMatchObject({ entry: ["announce"], exit: ["announce"] });
  });

  it("names a delay with the limits that it is read from", () => {
    expect(
      taken("session.running.working", "xstate.after.quietLimit.session.running.working"),
    ).toEqual([
      expect.objectContaining({
        event: {
          kind: "after",
          type: "xstate.after.quietLimit.session.running.working",
          words: "after quietLimit (turnQuietMs, toolQuietMs, backgroundQuietMs)",
          delay: "quietLimit",
          limits: ["turnQuietMs", "toolQuietMs", "backgroundQuietMs"],
        },
      }),
    ]);
  });

  it("says when the last of several candidates is taken", () => {
    expect(taken("session.running", "command.stop").map(({ condition }) => condition)).toEqual([
      "it means another message",
      "otherwise",
    ]);
  });
});
