import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ALLOWED, createBench, type Bench } from "../support/holdfast.ts";
import { until } from "../support/processes.ts";

const GROUP = -1_001_234_500_000;
const GUEST = 5151;
const SCRIPTED = { HOLDFAST_AGENT: "scripted" };

describe("a group", () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await createBench();
    bench.telegram.addChat({ id: GROUP, type: "supergroup", admins: [ALLOWED] });
  });
  afterEach(async () => {
    await bench[Symbol.asyncDispose]();
  });

  const says = (text: string, fromId = ALLOWED, replyTo?: number) =>
    bench.telegram.user({
      chatId: GROUP,
      fromId,
      text,
      ...(replyTo === undefined ? {} : { replyTo }),
    });
  const inGroup = () => bench.telegram.messages.filter((one) => one.chatId === GROUP);

  it("is heard where it speaks to the bot: by mention, by reply, by command", async () => {
    await bench.start({ ...SCRIPTED, HOLDFAST_REQUIRE_MENTION: undefined });
    says("just talking");
    says("@holdfast_test_bot hello");
    const answer = await bench.answer("hello");
    says("more of that", ALLOWED, answer.messageId);
    await until("it is answered", () => inGroup().length === 2);
    says("/status");
    expect((await bench.answer("Queue")).text).toContain("0 waiting");
    expect(JSON.stringify(inGroup())).not.toContain("just talking");
    expect(JSON.stringify(inGroup())).not.toContain("@holdfast_test_bot");
  });

  it("is heard in everything where that is wanted", async () => {
    await bench.start({ ...SCRIPTED, HOLDFAST_REQUIRE_MENTION: "false" });
    says("just talking");
    await until("it is answered", () => inGroup().length === 1);
    expect(inGroup()[0]?.text).toContain("just talking");
  });

  it("has a list of its own, which says who is heard there", async () => {
    await bench.start({ ...SCRIPTED, HOLDFAST_CHAT_USERS: `${GROUP}:${GUEST}` });
    says("/status");
    says("/status", GUEST);
    await bench.answer("Queue");
    bench.telegram.user({ chatId: GUEST, fromId: GUEST, text: "/status" });
    bench.say("/status");
    await until("the owner's own chat is answered", () => bench.said("Queue").length === 2);
    expect(inGroup()).toHaveLength(1);
    expect(bench.telegram.messages.some((one) => one.chatId === GUEST)).toBe(false);
  });

  it("lets only its administrators change the session, where that is set", async () => {
    await bench.start({
      ...SCRIPTED,
      HOLDFAST_GROUP_COMMANDS: "admins",
      HOLDFAST_ALLOWED_USERS: `${ALLOWED},${GUEST}`,
    });
    says("/new", GUEST);
    await bench.answer("Only administrators");
    says("/status", GUEST);
    await bench.answer("Queue");
    says("/new");
    await bench.answer("Context cleared");
    expect(inGroup()).toHaveLength(3);
  });

  it("that throws the bot out is said in the log, and gets its answer when the bot is back", async () => {
    const service = await bench.start(SCRIPTED);
    says("/status");
    await bench.answer("Queue");
    bench.telegram.kick(GROUP);
    await service.waitForLog((one) => one.msg === "chat.left");
    bench.telegram.addChat({ id: GROUP, type: "supergroup" });
    await service.waitForLog((one) => one.msg === "chat.joined");
    says("/status");
    await until("it is answered again", () => bench.said("Queue").length === 2);
    expect(inGroup()).toHaveLength(2);
  });
});
