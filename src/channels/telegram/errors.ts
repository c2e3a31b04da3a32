import { TelegramError } from "telegraf";
import type { SendResult } from "../../ports.ts";
import { scrub } from "./scrub.ts";

/**
 * How a call of the Bot API failed.
 * - answered: the API (or a proxy before it) answered with an error, `code` is its number
 * - unwritten: the request never left: no connection, no name, no TLS
 * - unanswered: written, and no readable answer came: it may have taken effect
 * - aborted: ended by the caller
 */
export interface CallFailure {
  readonly kind: "answered" | "unwritten" | "unanswered" | "aborted";
  readonly code: number | null;
  /** One line for people, without the token. */
  readonly detail: string;
  readonly retryAfterMs: number | null;
  /** The chat's new id after its upgrade to a supergroup. */
  readonly movedTo: string | null;
}

const FAILURE: CallFailure = {
  kind: "unanswered",
  code: null,
  detail: "",
  retryAfterMs: null,
  movedTo: null,
};

/** What a thrown value of Telegraf means. Total: nothing of the value itself is kept. */
export function readFailure(error: unknown, token: string): CallFailure {
  if (error instanceof TelegramError) return readApiError(error, token);
  const detail = oneLine(scrub(messageOf(error), token));
  return { ...FAILURE, kind: neverWritten(error) ? "unwritten" : "unanswered", detail };
}

function readApiError(error: TelegramError, token: string): CallFailure {
  // The fields come off the wire as they are: a proxy's JSON need not hold what the types promise.
  const code: unknown = error.code;
  const description: unknown = error.description;
  const parameters: unknown = error.parameters;
  const words = oneLine(scrub(typeof description === "string" ? description : "", token));
  if (typeof code !== "number") {
    return { ...FAILURE, detail: words === "" ? "an answer that is none of the Bot API" : words };
  }
  const seconds = numberIn(parameters, "retry_after") ?? numberAfter(words, /retry after (\d+)/i);
  const movedTo = numberIn(parameters, "migrate_to_chat_id");
  return {
    kind: "answered",
    code,
    detail: words === "" ? String(code) : `${code}: ${words}`,
    retryAfterMs: code === 429 ? (seconds ?? RETRY_AFTER_UNKNOWN_S) * 1_000 : null,
    movedTo: movedTo === null ? null : String(movedTo),
  };
}

/** The wait where a 429 names none. */
const RETRY_AFTER_UNKNOWN_S = 5;

function numberIn(parameters: unknown, name: string): number | null {
  if (typeof parameters !== "object" || parameters === null) return null;
  const value: unknown = Reflect.get(parameters, name);
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function numberAfter(text: string, pattern: RegExp): number | null {
  const digits = pattern.exec(text)?.[1];
  return digits === undefined ? null : Number(digits);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, 500);
}

const UNWRITTEN_CODES = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EAI_FAIL",
  "EPROTO",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
]);

/**
 * Measured on Node 20 with node-fetch 2: the code is the system error's, and the
 * message ends with `reason: connect ETIMEDOUT …`; it is empty where several
 * addresses were tried. A reset during the TLS handshake has ECONNRESET as its
 * code, as one after the request has, and differs by its words only.
 */
function neverWritten(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const code: unknown = Reflect.get(error, "code");
  if (typeof code !== "string") return false;
  if (UNWRITTEN_CODES.has(code) || /^(?:CERT_|ERR_TLS_|UNABLE_TO_)/.test(code)) return true;
  return /reason: (?:connect |getaddrinfo |Client network socket disconnected before secure|$)/.test(
    messageOf(error),
  );
}

/**
 * What to do about a failed call of a sending method. Beside the outcomes of the
 * port there are those that its caller settles itself.
 */
export type SendVerdict =
  | Exclude<SendResult, { outcome: "sent" | "refused" }>
  /** Send it again without the thing that was refused. */
  | { readonly outcome: "resend"; readonly without: "entities" | "reply" }
  /** Refused for a reason that no table lists: send it as bare as can be. */
  | { readonly outcome: "unlisted" }
  /** Send it in smaller pieces. */
  | { readonly outcome: "split" }
  /** An edit that changes nothing: the message is as wanted. */
  | { readonly outcome: "unchanged" }
  /** The message to edit is gone or too old: send a new one. */
  | { readonly outcome: "renew" }
  /** Too late to matter: a callback that expired. */
  | { readonly outcome: "ignored" };

/** Wordings of the Bot API, matched anywhere in the description, first match first. */
const REFUSALS: readonly (readonly [RegExp, SendVerdict["outcome"], ("entities" | "reply")?])[] = [
  [/message is not modified/i, "unchanged"],
  [/message is too long|MESSAGE_TOO_LONG/i, "split"],
  [/message text is empty|text must be non-empty/i, "dropped"],
  // Wordings of the official server's own sources; a bad mention says "user not found".
  [
    /can't parse entities|Entity .*(?:is invalid|in a middle of a UTF-16 symbol|after the end of the text)|ENTITIES_TOO_LONG|ENTITY_BOUNDS_INVALID|user not found/i,
    "resend",
    "entities",
  ],
  [/message to edit not found|message can't be edited/i, "renew"],
  [/message to be replied not found|replied message not found/i, "resend", "reply"],
  // The first also where a forum has become a plain group again.
  [/message thread not found|TOPIC_CLOSED|TOPIC_DELETED/i, "topicClosed"],
  [/query is too old|query ID is invalid/i, "ignored"],
  [
    /chat not found|group chat was (?:deactivated|upgraded)|not enough rights to send|have no rights to send|need administrator rights|CHAT_WRITE_FORBIDDEN|CHAT_RESTRICTED|USER_IS_BLOCKED|PEER_ID_INVALID/i,
    "disabled",
  ],
];

/** Total: the table of the Bot API's errors, and everything that is in no table. */
export function classifySendError(failure: CallFailure): SendVerdict {
  const { detail } = failure;
  switch (failure.kind) {
    case "unwritten":
      return { outcome: "retry", detail };
    case "unanswered":
    case "aborted":
      return { outcome: "ambiguous", detail };
    case "answered":
      return classifyAnswer(failure);
  }
}

function classifyAnswer({ code, detail, retryAfterMs, movedTo }: CallFailure): SendVerdict {
  if (movedTo !== null) return { outcome: "moved", chatId: movedTo };
  if (code === 429) {
    return { outcome: "gated", retryAfterMs: Math.max(retryAfterMs ?? 0, 1_000), detail };
  }
  if (code === 403) return { outcome: "disabled", detail };
  // A refused token or an unknown method says nothing about the message: it stays.
  if (code === 401 || code === 404 || code === 409) return { outcome: "retry", detail };
  if (code === null || code >= 500 || code < 400) return { outcome: "ambiguous", detail };
  return classifyRefusal(detail);
}

function classifyRefusal(detail: string): SendVerdict {
  const [, outcome, without] = REFUSALS.find(([words]) => words.test(detail)) ?? [];
  switch (outcome) {
    case "resend":
      return { outcome, without: without ?? "entities" };
    case "split":
    case "unchanged":
    case "renew":
    case "ignored":
      return { outcome };
    case "disabled":
    case "topicClosed":
    case "dropped":
      return { outcome, detail };
    default:
      return { outcome: "unlisted" };
  }
}
