import { describe, expect, it } from "vitest";
import { boundedMemory } from "../../../src/channels/telegram/bounded.ts";
import { createChatGates } from "../../../src/channels/telegram/gates.ts";

describe("chat gates", () => {
  it("keep one chat waiting for as long as the longest wait it was given, and no other chat", () => {
    let now = 1_000;
    const gates = createChatGates({ now: () => now });
    gates.close("1", 500);
    gates.close("1", 200);
    expect(gates.remainingMs("1")).toBe(500);
    expect(gates.remainingMs("2")).toBe(0);
    now = 1_499;
    expect(gates.remainingMs("1")).toBe(1);
    now = 1_501;
    expect(gates.remainingMs("1")).toBe(0);
  });
});

describe("bounded memory", () => {
  it("returns what came first with a key", () => {
    const memory = boundedMemory<number>(10);
    expect([memory.first("a", 1), memory.first("a", 2), memory.first("b", 3)]).toEqual([1, 1, 3]);
  });

  it("forgets the oldest key when it is full", () => {
    const memory = boundedMemory<number>(2);
    for (const [index, key] of ["a", "b", "c"].entries()) memory.first(key, index);
    expect([memory.first("b", 9), memory.first("c", 9), memory.first("a", 9)]).toEqual([1, 2, 9]);
  });
});
