import { expect, it } from "vitest";
import { answerFooter } from "../../src/words/footer.ts";
import { english } from "../../src/words/english.ts";

const USAGE = { inputTokens: 1, outputTokens: 1, costUsd: 0.034, durationMs: 12_300 };

it.each([
  [62, USAGE, "claude · 12 s · $0.03 · [ctx: 62%]"],
  [null, USAGE, "claude · 12 s · $0.03"],
  [62, { ...USAGE, costUsd: null, durationMs: null }, "claude · [ctx: 62%]"],
  [62, { ...USAGE, costUsd: 0.001 }, "claude · 12 s · <$0.01 · [ctx: 62%]"],
  [62, null, "[ctx: 62%]"],
  [null, null, null],
])("under an answer with %s percent and the usage %o stands %s", (percent, usage, footer) => {
  expect(answerFooter(english.units, { percent, usage, agentKind: "claude" })).toBe(footer);
});
