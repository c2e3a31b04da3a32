import { z } from "zod";
import type { AgentOffers } from "../../../machines/vocabulary.ts";

/** The part of the answer to `initialize` that tells what may be chosen (2.1.332). */
const offersSchema = z.object({
  models: z.array(
    z.object({
      value: z.string(),
      displayName: z.string().optional(),
      supportedEffortLevels: z.array(z.string()).optional(),
    }),
  ),
  current_permission_mode: z.string().optional(),
});

/** What `set_permission_mode` takes at any time; `bypassPermissions` only where the process was launched with it. */
const MODES = ["default", "acceptEdits", "plan", "dontAsk", "auto"];

/** Null where the agent does not tell. */
export function offersOf(answer: unknown): AgentOffers | null {
  const told = offersSchema.safeParse(answer).data;
  if (told === undefined) return null;
  const { models, current_permission_mode: mode } = told;
  return {
    models: models.map(({ value, displayName }) => ({ value, label: displayName ?? value })),
    modes: mode === undefined ? MODES : [...new Set([...MODES, mode])],
    efforts: [...new Set(models.flatMap((one) => one.supportedEffortLevels ?? []))],
  };
}
