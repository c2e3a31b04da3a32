import { describe, expect, it } from "vitest";
import type { CallRecord } from "../fake-telegram/types.ts";
import type { Crowd } from "./crowd.ts";
import type { Plan, Planned } from "./plan.ts";
import { judgeAnswers, judgePenalties } from "./verdict.ts";

const TOPIC = { chatId: -1, threadId: 2 };
const OTHER = { chatId: -1, threadId: 3 };
const NAMES = ["01-01", "01-02", "01-03"];

const plan: Plan = {
  seed: 0,
  topics: [TOPIC],
  kills: [],
  messages: NAMES.map((name, at): Planned => ({
    name,
    topic: TOPIC,
    number: at + 1,
    text: name,
    isDoomed: false,
    isRepeated: false,
  })),
};

const ACKNOWLEDGED = { ok: true, result: { message_id: 9 } };
const LOST = { fault: "lost-answer" };

const answer = (name: string, answered: unknown = ACKNOWLEDGED, topic = TOPIC): CallRecord => ({
  method: "sendMessage",
  params: {
    chat_id: topic.chatId,
    message_thread_id: topic.threadId,
    text: `answer ${name}\n\nscripted · 1 s`,
    reply_parameters: { message_id: NAMES.indexOf(name) + 100 },
  },
  at: 0,
  answered,
});
const start: CallRecord = { method: "getMe", params: {}, at: 0, answered: ACKNOWLEDGED };

const judge = (calls: readonly CallRecord[], decided: Crowd["decided"] = new Map()) =>
  judgeAnswers(plan, calls, {
    decided,
    sent: new Map(NAMES.map((name, at) => [name, at + 100])),
  });
const whole = NAMES.map((name) => answer(name));
const [one, two, three] = whole as [CallRecord, CallRecord, CallRecord];

describe("the answers of a journey", () => {
  it.each<[string, readonly CallRecord[]]>([
    ["once each, in order", whole],
    ["again where the acknowledgement was lost", [answer("01-01", LOST), ...whole]],
    [
      "again after refusals",
      [answer("01-01", { ok: false, error_code: 500, description: "" }), ...whole],
    ],
    ["again where the process died after the last one of its chat", [start, one, start, ...whole]],
  ])("are as they must be: %s", (_what, calls) => {
    expect(judge(calls)).toEqual([]);
  });

  it.each<[string, readonly CallRecord[], string]>([
    ["one is missing", [one, two], "01-03 has no answer"],
    [
      "one was only refused",
      [one, two, answer("01-03", { fault: "reset" })],
      "01-03 has no answer",
    ],
    ["one comes again although it had arrived", [one, ...whole], "01-01 is answered again"],
    [
      "one comes again that the dead process had known to have arrived",
      [start, one, two, start, one, two, three],
      "01-01 is answered again",
    ],
    [
      "one is elsewhere",
      [one, two, answer("01-03", ACKNOWLEDGED, OTHER)],
      "01-03 is answered elsewhere",
    ],
    [
      "one is no reply to its message",
      [one, two, { ...three, params: { ...three.params, reply_parameters: { message_id: 5 } } }],
      "in reply to something else",
    ],
    ["two have changed places", [two, one, three], "01-01 is answered in call 1, after 01-02"],
  ])("are not as they must be where %s", (_what, calls, words) => {
    expect(judge(calls).join("\n")).toContain(words);
  });

  it("may lose their place where their writer was asked, and come only after that", () => {
    expect(judge([two, three, one], new Map([["01-01", [2]]]))).toEqual([]);
    expect(judge([two, three, one], new Map([["01-01", [3]]])).join("\n")).toContain("later");
  });
});

describe("a penalty", () => {
  const refusal = { ok: false, error_code: 429, description: "Too Many Requests" };
  const penalty = answer("01-01", refusal);

  it.each<[string, CallRecord, number]>([
    ["is kept by a call after it", { ...two, at: 1_000 }, 0],
    ["is broken by a call in it", { ...two, at: 700 }, 1],
    ["leaves what was under way alone", { ...two, at: 100 }, 0],
    ["is another chat's", { ...two, at: 700, params: { chat_id: -9 } }, 0],
  ])("%s", (_what, call, count) => {
    expect(judgePenalties([penalty, call])).toHaveLength(count);
  });
});
