import { describe, expect, it } from "vitest";
import { SimulatedClock } from "xstate";
import { createPartials } from "../../../src/agents/claude/partials.ts";

function world() {
  const clock = new SimulatedClock();
  const told: string[] = [];
  const partials = createPartials({ clock, emit: (text) => told.push(text) });
  return { clock, told, partials };
}

describe("a growing text", () => {
  it("is told at once, and then at most twice a second, the latest of it", () => {
    const { clock, told, partials } = world();
    partials.grown("a");
    partials.grown("ab");
    partials.grown("abc");
    expect(told).toEqual(["a"]);
    clock.increment(500);
    expect(told).toEqual(["a", "abc"]);
    clock.increment(5_000);
    expect(told).toEqual(["a", "abc"]);
  });

  it("is not told any more once it is over", () => {
    const { clock, told, partials } = world();
    partials.grown("a");
    partials.grown("ab");
    partials.over();
    clock.increment(5_000);
    expect(told).toEqual(["a"]);
  });
});
