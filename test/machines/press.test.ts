import { describe, expect, it } from "vitest";
import { judgePress, type Press } from "../../machines/press.ts";

const FINE: Press = {
  known: true,
  isVoid: false,
  ageMs: 1_000,
  limitMs: 1_000,
  isOwner: true,
  decides: true,
  isApprover: true,
};

describe("a pressed button", () => {
  it.each<[string, Partial<Press>, string]>([
    ["is heeded", {}, "heed"],
    ["was never given out here", { known: false, isOwner: false }, "stale"],
    ["has a message that says something else by now", { isVoid: true }, "stale"],
    ["is too old", { ageMs: 1_001 }, "stale"],
    ["is somebody else's", { isOwner: false }, "not-yours"],
    ["settles something, and not for this person to settle", { isApprover: false }, "not-yours"],
    ["is somebody else's, and void", { isOwner: false, isVoid: true }, "not-yours"],
    ["settles nothing, whoever presses it", { decides: false, isApprover: false }, "heed"],
  ])("that %s: %o is %s", (_, change, verdict) => {
    expect(judgePress({ ...FINE, ...change })).toBe(verdict);
  });
});
