import { TelegramError } from "telegraf";
import { describe, expect, it } from "vitest";
import {
  classifySendError,
  readFailure,
  type SendVerdict,
} from "../../../src/channels/telegram/errors.ts";

const TOKEN = "123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1";

function verdictOn(code: number, description: string, parameters?: object): SendVerdict {
  const wire = { error_code: code, description, ...(parameters ? { parameters } : {}) };
  return classifySendError(readFailure(new TelegramError(wire), TOKEN));
}

function systemError(message: string, code?: string): Error {
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}

describe("classifySendError", () => {
  it.each<[number, string, SendVerdict["outcome"]]>([
    [400, "Bad Request: message is not modified: specified new message content is", "unchanged"],
    [400, "Bad Request: message is too long", "split"],
    [400, "Bad Request: MESSAGE_TOO_LONG", "split"],
    [400, "Bad Request: message text is empty", "dropped"],
    [400, "Bad Request: message to edit not found", "renew"],
    [400, "Bad Request: message can't be edited", "renew"],
    [400, "Bad Request: chat not found", "disabled"],
    [400, "Bad Request: message thread not found", "topicClosed"],
    [400, "Bad Request: TOPIC_CLOSED", "topicClosed"],
    [400, "Bad Request: TOPIC_DELETED", "topicClosed"],
    [
      400,
      "Bad Request: query is too old and response timeout expired or query ID is invalid",
      "ignored",
    ],
    [400, "Bad Request: BUTTON_DATA_INVALID", "unlisted"],
    [400, "Bad Request: file is too big", "unlisted"],
    [400, "Bad Request: something nobody has seen yet", "unlisted"],
    [400, "Bad Request: not enough rights to send text messages to the chat", "disabled"],
    [401, "Unauthorized", "retry"],
    [403, "Forbidden: bot was blocked by the user", "disabled"],
    [403, "Forbidden: bot was kicked from the supergroup chat", "disabled"],
    [403, "Forbidden: user is deactivated", "disabled"],
    [404, "Not Found", "retry"],
    [404, "Not Found: method not found", "retry"],
    [409, "Conflict: terminated by other getUpdates request", "retry"],
    [500, "Internal Server Error", "ambiguous"],
    [502, "Bad Gateway", "ambiguous"],
    [504, "Gateway Timeout", "ambiguous"],
    [413, "Request Entity Too Large", "unlisted"],
  ])("answers %i %j with %s", (code, description, outcome) => {
    expect(verdictOn(code, description).outcome).toBe(outcome);
  });

  it.each<[string, string]>([
    ["Bad Request: can't parse entities: entity beginning at byte offset 7", "entities"],
    ["Bad Request: message to be replied not found", "reply"],
  ])("sends again after %j, without the %s", (description, without) => {
    expect(verdictOn(400, description)).toEqual({ outcome: "resend", without });
  });

  it("follows a chat that became a supergroup", () => {
    const description = "Bad Request: group chat was upgraded to a supergroup chat";
    expect(verdictOn(400, description, { migrate_to_chat_id: -1_001_234_567_890 })).toEqual({
      outcome: "moved",
      chatId: "-1001234567890",
    });
    expect(verdictOn(400, description).outcome).toBe("disabled");
  });

  it.each<[string, object | undefined, number]>([
    ["Too Many Requests: retry after 12", { retry_after: 12 }, 12_000],
    ["Too Many Requests: retry after 7", undefined, 7_000],
    ["Too Many Requests: retry after 0", { retry_after: 0 }, 1_000],
    ["Too Many Requests", { retry_after: "soon" }, 5_000],
  ])("makes the chat wait after %j with %j", (description, parameters, retryAfterMs) => {
    expect(verdictOn(429, description, parameters)).toMatchObject({
      outcome: "gated",
      retryAfterMs,
    });
  });

  it.each([
    systemError(
      "request to http://x failed, reason: connect ECONNREFUSED 127.0.0.1:1",
      "ECONNREFUSED",
    ),
    systemError("request to http://x failed, reason: getaddrinfo ENOTFOUND x", "ENOTFOUND"),
    systemError("request to http://x failed, reason: getaddrinfo EAI_AGAIN x", "EAI_AGAIN"),
    systemError("request to http://x failed, reason: connect ETIMEDOUT 10.0.0.1:443", "ETIMEDOUT"),
    systemError("request to http://x failed, reason: ", "ETIMEDOUT"),
    systemError("request to http://x failed, reason: certificate has expired", "CERT_HAS_EXPIRED"),
    systemError(
      "request to http://x failed, reason: Client network socket disconnected before secure TLS connection was established",
      "ECONNRESET",
    ),
  ])("tries again what was never written: $message", (error) => {
    expect(classifySendError(readFailure(error, TOKEN)).outcome).toBe("retry");
  });

  it.each([
    systemError("request to http://x failed, reason: socket hang up", "ECONNRESET"),
    systemError("request to http://x failed, reason: read ETIMEDOUT", "ETIMEDOUT"),
    systemError(
      "Invalid response body while trying to fetch x: Premature close",
      "ERR_STREAM_PREMATURE_CLOSE",
    ),
    systemError("invalid json response body at x reason: Unexpected token '<'"),
    systemError("The user aborted a request."),
    new TypeError("Cannot read properties of null (reading 'ok')"),
    // A proxy's JSON: no error code.
    new TelegramError({} as never),
    new TelegramError({ error_code: "x", description: { a: 1 } } as never),
    "a string",
    null,
    undefined,
  ])("does not know what became of a message after %s", (error) => {
    expect(classifySendError(readFailure(error, TOKEN)).outcome).toBe("ambiguous");
  });
});

describe("readFailure", () => {
  it("keeps the token out of every text, whoever wrote it there", () => {
    const errors = [
      systemError(`invalid json response body at http://x/bot${TOKEN}/sendMessage reason: <`),
      new TelegramError({ error_code: 400, description: `Bad Request: /bot${TOKEN}/` }),
      `bot${TOKEN}`,
    ];
    for (const error of errors) {
      expect(JSON.stringify(readFailure(error, TOKEN))).not.toContain("AAHdq");
    }
  });

  it("keeps a detail to one short line", () => {
    const { detail } = readFailure(new Error(`a\n\nb ${"x".repeat(5_000)}`), TOKEN);
    expect(detail).toMatch(/^a b x/);
    expect(detail.length).toBeLessThanOrEqual(500);
  });
});
