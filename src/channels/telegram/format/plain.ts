import { wellFormed, type Rich } from "./entities.ts";
import { withFooter } from "./parts.ts";
import { splitRich, TELEGRAM_LIMITS, type SplitLimits } from "./split.ts";

/** The text as it is, without entities: for a part whose formatting Telegram refuses. */
export function chunkPlain(
  text: string,
  footer: string | null,
  limits: Partial<SplitLimits> = {},
): readonly Rich[] {
  return withFooter(footer, { ...TELEGRAM_LIMITS, ...limits }, (within) =>
    splitRich({ text: wellFormed(text), entities: [] }, within),
  );
}
