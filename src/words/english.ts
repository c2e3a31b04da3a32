import { commands } from "./english/commands.ts";
import { answers, files, messages, terminal } from "./english/messages.ts";
import { notice } from "./english/notices.ts";
import { choices, conversations, status, workspaces } from "./english/sessions.ts";
import { approvals, buttons, presses, progress, units } from "./english/turns.ts";
import type { Written } from "./wording.ts";
import type { Words } from "./words.ts";

const written: Written<Words> = {
  notice,
  commands,
  messages,
  answers,
  files,
  conversations,
  workspaces,
  choices,
  status,
  approvals,
  progress,
  buttons,
  presses,
  units,
  terminal,
};

export const english = written as Words;
