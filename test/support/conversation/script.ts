import { z } from "zod";
import { PEOPLE, PLACES, type Person, type Place } from "./cast.ts";

/** A conversation as data: what people do, what the scripted agent does, and what the bot then calls. */

/** A text, or its lines; `{"repeat": 3, "line": "{n}"}` stands for lines that count up. */
const lineSchema = z.union([
  z.string(),
  z.strictObject({ repeat: z.int().positive(), line: z.string() }),
]);
const textSchema = z.union([z.string(), z.array(lineSchema)]).transform((given) => {
  if (typeof given === "string") return given;
  return given.flatMap(linesOf).join("\n");
});

function linesOf(line: z.infer<typeof lineSchema>): readonly string[] {
  if (typeof line === "string") return [line];
  return Array.from({ length: line.repeat }, (_, at) => line.line.replace("{n}", String(at + 1)));
}

/** How the scripted agent plays a turn: src/agents/scripted/script.ts says what there is. Lists of lines are texts. */
const agentStepSchema = z.record(z.string(), z.unknown().transform(withTexts));

function withTexts(value: unknown): unknown {
  const text = textSchema.safeParse(value);
  if (text.success) return text.data;
  if (Array.isArray(value)) return value.map(withTexts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withTexts(one)]));
}

const person = z.enum(Object.keys(PEOPLE) as [Person, ...Person[]]);
const place = z.enum(Object.keys(PLACES) as [Place, ...Place[]]);
/** What a message is called in later steps. */
const name = z.string();

const writesSchema = z.strictObject({
  /** What a person writes; the caption where there are photos or a file. */
  user: textSchema,
  from: person.default("owner"),
  in: place.default("private"),
  replyTo: name.optional(),
  name: name.optional(),
  /** What the agent does about it. Default: it says what it has been told so far. */
  agent: agentStepSchema.optional(),
  /** More than one are an album. */
  photos: z.array(z.string()).optional(),
  file: z.string().optional(),
  voice: z.literal(true).optional(),
  /** Further messages that are forwarded in one go with this one. */
  forwarded: z.array(z.string()).optional(),
});
export type Writes = z.infer<typeof writesSchema>;

const HAPPENINGS = [
  "a tool runs",
  "the tool ends",
  "the agent dies",
  "the agent is asleep",
  "the transcript is lost",
  "the service is killed",
  "the service starts",
  "the topic is closed",
  "the topic is reopened",
  "the bot is thrown out of the group",
  "the bot is back in the group",
  "the small group is upgraded",
] as const;
export type Happening = (typeof HAPPENINGS)[number];

const expectsSchema = z.strictObject({
  /** The method that is called. */
  bot: z.enum([
    "sendMessage",
    "sendDocument",
    "sendMessageDraft",
    "editMessageText",
    "editMessageReplyMarkup",
    "deleteMessage",
    "setMessageReaction",
    "answerCallbackQuery",
  ]),
  in: place.default("private"),
  /** The whole text as people see it; `{time}` and the like stand for what differs from run to run. */
  text: textSchema.optional(),
  /** The labels, row by row. Default: there are none. */
  buttons: z.array(z.array(z.string())).default([]),
  replyTo: name.optional(),
  /** The message that is changed or marked. */
  of: name.optional(),
  emoji: z.string().optional(),
  /** The name of the file, and a line of it. */
  file: z.strictObject({ name: z.string(), holds: z.string() }).optional(),
  /** `bold: Write`, `pre ts: const a = 1;`: every entity, where they are what matters. */
  formatted: z.array(z.string()).optional(),
  /** Telegram refuses the call with these words. */
  refused: z.string().optional(),
  name: name.optional(),
  /** From here on it may come, any number of times. */
  maybe: z.literal(true).optional(),
});
export type Expects = z.infer<typeof expectsSchema>;

const stepSchema = z.union([
  writesSchema,
  expectsSchema,
  z.strictObject({ edit: name, to: z.string() }),
  z.strictObject({
    press: z.string(),
    on: name,
    from: person.default("owner"),
    /** What is shown for a moment to whoever pressed. Default: nothing. */
    shows: z.string().optional(),
  }),
  /** The prompt that the agent was given last. */
  z.strictObject({ agentHears: textSchema }),
  z.strictObject({ happens: z.enum(HAPPENINGS) }),
]);
export type Step = z.infer<typeof stepSchema>;

const conversationSchema = z.strictObject({
  title: z.string(),
  /** What a reader has to know to understand it. */
  about: z.string().optional(),
  /** Variables of the service; null takes one away that is usually set. */
  settings: z.record(z.string(), z.string().nullable()).default({}),
  /** What each process of the agent plays, in its own form, where `agent` in a message is too small. */
  script: z
    .union([z.array(agentStepSchema), z.record(z.string(), z.array(agentStepSchema))])
    .optional(),
  /** How long what is expected may take. */
  patienceMs: z.int().positive().default(20_000),
  steps: z.array(stepSchema),
});
export type Conversation = z.infer<typeof conversationSchema>;

/** Throws with what is wrong and where. */
export function readConversation(json: string): Conversation {
  const parsed = conversationSchema.safeParse(JSON.parse(json));
  if (parsed.success) return parsed.data;
  throw new Error(z.prettifyError(parsed.error));
}
