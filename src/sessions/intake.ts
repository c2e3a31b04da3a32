import type { Limits } from "../../machines/limits.ts";
import type { Intake, IntakeItem, OutgoingDraft, Store } from "../ports.ts";
import { WORDS } from "../words.ts";
import { noticeDraft } from "./ledger.ts";
import { sessionKey } from "./session-key.ts";

export interface IntakeOptions {
  readonly store: Store;
  readonly limits: Pick<Limits, "queueMax" | "messageBytes">;
  newId(): string;
}

/** What is stored for each thing that came in, and what is answered at once. */
export function intakeItems(
  { store, limits, newId }: IntakeOptions,
  intakes: readonly Intake[],
): readonly IntakeItem[] {
  const taken = new Map<string, number>();
  return intakes.map((intake) => {
    const key = sessionKey(intake.address);
    const waiting = taken.get(key) ?? store.facts(key).messages.length;
    const words = refusal(intake, waiting, limits);
    if (intake.kind === "message" && words === null) taken.set(key, waiting + 1);
    const reply: OutgoingDraft | null =
      words === null ? null : noticeDraft(words, intake.platformMessageId);
    return { intake, key, uuid: newId(), reply };
  });
}

/** Why a message is not taken; null when it is. */
function refusal(
  intake: Intake,
  waiting: number,
  limits: Pick<Limits, "queueMax" | "messageBytes">,
): string | null {
  switch (intake.kind) {
    case "command":
      return null;
    case "unsupported":
      return WORDS.unsupported(intake.what);
    case "message": {
      if (intake.text.trim() === "") return WORDS.emptyMessage;
      if (Buffer.byteLength(intake.text) > limits.messageBytes) {
        return WORDS.tooLong(limits.messageBytes);
      }
      return waiting >= limits.queueMax ? WORDS.queueFull(limits.queueMax) : null;
    }
  }
}
