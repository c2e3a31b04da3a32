import { describe, expect, it } from "vitest";
import { chartOf } from "../../../src/inspector/chart/chart-of.ts";
import { sketchChart } from "../../../src/inspector/chart/sketch.ts";

const { lines } = sketchChart(chartOf("session"));

function labelOf(source: string, target: string): readonly string[] | undefined {
  const line = lines.find(({ id }) => id === `session.${source}->session.${target}`);
  return line?.texts.map(({ text }) => text);
}

describe("what stands on a line", () => {
  it("is each event with its condition, those without one last", () => {
    expect(labelOf("idle", "idle")).toEqual(["after idleLimit", "[otherwise]", "agent.background"]);
    expect(labelOf("running", "restarting")).toEqual([
      "turn.ended",
      "[the resumed session is too large]",
      "agent.exited, agent.refused, agent.unavailable",
    ]);
  });

  it("puts events under one condition together, and conditions of the same events", () => {
    expect(labelOf("idle", "reaping")?.slice(0, 2)).toEqual([
      "reap, after idleLimit",
      "[no message waits and nothing runs in the background]",
    ]);
    expect(labelOf("running", "between")).toEqual([
      "turn.ended",
      "[it ends the user's turn]",
      "[it ends the agent's own turn]",
    ]);
  });

  it("is the condition alone where it is looked at at once", () => {
    expect(labelOf("between", "asking")).toEqual(["[an approval is open]"]);
  });
});
