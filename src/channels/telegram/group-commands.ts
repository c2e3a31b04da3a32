import type { Intake, PollResult } from "../../ports.ts";
import { FORBIDDEN } from "../commands.ts";
import type { Admins } from "./admins.ts";

/** Commands that change a session; the others only look at it. */
const CHANGING: ReadonlySet<string> = new Set([
  "new",
  "stop",
  "retry",
  "skip",
  "workspace",
  "resume",
  "fork",
  "name",
  "model",
  "mode",
  "effort",
]);

/** Commands of a group that somebody else than its administrators gave are answered, and change nothing. */
export async function onlyAdmins(result: PollResult, admins: Admins): Promise<PollResult> {
  if (result.outcome !== "received") return result;
  const intakes: Intake[] = [];
  for (const intake of result.intakes) intakes.push(await judge(intake, admins));
  return { ...result, intakes };
}

async function judge(intake: Intake, admins: Admins): Promise<Intake> {
  if (intake.kind !== "command" || !CHANGING.has(intake.name)) return intake;
  const { chatId } = intake.address;
  const isPrivate = chatId === intake.sender;
  if (isPrivate || (await admins.has(chatId, intake.sender))) return intake;
  return { ...intake, name: FORBIDDEN, args: intake.name };
}
