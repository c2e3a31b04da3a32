import { cleanText, expandTabs } from "./clean.ts";
import type { Rich } from "./entities.ts";
import { splitWithFooter } from "./parts.ts";
import type { SplitOptions } from "./split.ts";

/** The text as it is, as messages without entities: for what Telegram refuses to show formatted. */
export function chunkPlain(
  text: string,
  footer: string | null,
  options: SplitOptions = {},
): Rich[] {
  return splitWithFooter({ text: expandTabs(cleanText(text)), entities: [] }, footer, options);
}
