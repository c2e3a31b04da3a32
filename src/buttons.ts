import { z } from "zod";
import type { Notice } from "../machines/plan.ts";
import type { DraftButton } from "./ports.ts";
import type { ButtonWords } from "./words/turn-words.ts";
import type { Wording } from "./words/wording.ts";

/** What the buttons under holdfast's messages do. */
const actionSchema = z.discriminatedUnion("do", [
  z.object({ do: z.literal("retry"), messageId: z.int() }),
  z.object({ do: z.literal("skip"), messageId: z.int() }),
  z.object({ do: z.literal("new") }),
  z.object({ do: z.literal("stop") }),
  z.object({
    do: z.literal("decide"),
    requestId: z.string(),
    how: z.enum(["allow", "always", "deny"]),
  }),
  /** An option of a question is chosen, or with several choices turned on or off. */
  z.object({
    do: z.literal("option"),
    requestId: z.string(),
    question: z.int(),
    option: z.int(),
  }),
  z.object({ do: z.literal("submit"), requestId: z.string() }),
  /** Shows all of what an approval is about. */
  z.object({ do: z.literal("more"), requestId: z.string() }),
  z.object({
    do: z.literal("choose"),
    choice: z.enum(["model", "mode", "effort", "verbose"]),
    value: z.string(),
  }),
  z.object({ do: z.literal("bind"), path: z.string() }),
  z.object({ do: z.literal("browse"), path: z.string(), page: z.int() }),
  /** A folder is to be made there. */
  z.object({ do: z.literal("folder"), path: z.string() }),
  z.object({ do: z.literal("resume"), agentSessionId: z.string() }),
]);
export type ButtonAction = z.infer<typeof actionSchema>;

export function button(label: Wording, action: ButtonAction): DraftButton {
  return { label, action: JSON.stringify(action) };
}

/** Null for what another version of holdfast has written and this one does not know. */
export function readAction(stored: string): ButtonAction | null {
  try {
    return actionSchema.safeParse(JSON.parse(stored)).data ?? null;
  } catch {
    return null;
  }
}

/** Only an approver may press what settles what the agent may do. */
export function decides(action: ButtonAction): boolean {
  if (action.do === "choose") return action.choice === "mode";
  return action.do === "decide" || action.do === "option" || action.do === "submit";
}

/** What a notice offers beside its words. */
export function noticeButtons(
  words: ButtonWords,
  notice: Notice,
  messageId: number | null,
): readonly (readonly DraftButton[])[] {
  const decided =
    notice.code === "parked" ||
    ((notice.code === "launch-failed" || notice.code === "context-lost") && notice.parked);
  if (!decided || messageId === null) return [];
  const choices = [
    button(words.retry, { do: "retry", messageId }),
    button(words.skip, { do: "skip", messageId }),
  ];
  const isTooLarge = notice.code === "parked" && notice.reason === "too-large";
  return isTooLarge ? [choices, [button(words.clear, { do: "new" })]] : [choices];
}
