import { announceUpgrade, changeMembership, editMessage, ImpossibleError } from "./people.ts";
import { pressButton, writeMessage } from "./people.ts";
import type { Service } from "./serve.ts";
import type { FakeTelegram } from "./types.ts";
import { newFileId, openChat } from "./world.ts";
import type { Chat, World } from "./world.ts";

type Controls = Omit<FakeTelegram, "waitForMessage" | "waitForCall" | typeof Symbol.asyncDispose>;

/** The test's side of the fake: what the bot did, and what people and the platform do to it. */
export function controls(service: Service, apiRoot: string): Controls {
  return {
    apiRoot,
    ...records(service),
    get commands() {
      return service.world.commands;
    },
    ...happenings(service.world),
    ...troubles(service),
  };
}

function records({ token, world, calls }: Service) {
  return {
    token,
    botId: world.bot.id,
    botUsername: world.bot.username,
    calls,
    messages: world.sent,
    chatActions: world.actions,
    drafts: world.drafts,
    deletions: world.deletions,
    reactions: world.reactions,
    callbackAnswers: world.callbackAnswers,
    violations: world.violations,
    confirmedOffset: () => world.queue.confirmedOffset(),
    pendingUpdates: () => world.queue.pending(),
    openPolls: () => world.queue.openPolls(),
  };
}

function happenings(world: World) {
  return {
    addChat({ id, type, isForum = false, topics = [], admins = [] }) {
      judgeChat(id, type, isForum, topics);
      const returns = world.chats.get(id)?.barrier === "kicked";
      const chat = openChat(world, id, type, isForum, topics, admins);
      if (returns) changeMembership(world, chat, true);
    },
    addFile({ name, content }) {
      if (typeof content === "number")
        return newFileId(world, { name, size: content, bytes: null });
      return newFileId(world, { name, size: content.length, bytes: Buffer.from(content) });
    },
    user: (message) => writeMessage(world, message),
    edit: (edit) => editMessage(world, edit),
    callback: (press) => pressButton(world, press),
    pushUpdate: (update) => world.queue.pushRaw(update),
    repeatUpdate: (updateId) => world.queue.repeat(updateId),
  } satisfies Partial<Controls>;
}

function troubles({ world, faults }: Service) {
  const excluded = (chatId: number, barrier: "blocked" | "kicked"): void => {
    const chat = knownChat(world, chatId);
    const isPrivate = chat.type === "private";
    if (isPrivate !== (barrier === "blocked")) {
      throw new ImpossibleError(
        `a ${chat.type} chat cannot be ${barrier}: use block for private chats, kick for groups`,
      );
    }
    chat.barrier = barrier;
    changeMembership(world, chat, false);
  };
  return {
    fail: (method, fault, times = 1) => faults.add(method, fault, times),
    failBy: (decide) => faults.decideBy(decide),
    conflictNextPolls: (times, cause = "webhook") => world.queue.conflictNext(times, cause),
    block: (chatId) => excluded(chatId, "blocked"),
    kick: (chatId) => excluded(chatId, "kicked"),
    deactivate: (chatId) => void (knownChat(world, chatId).barrier = "deactivated"),
    removeChat(chatId) {
      knownChat(world, chatId);
      world.chats.delete(chatId);
    },
    upgradeToSupergroup(chatId, newId) {
      const from = knownChat(world, chatId);
      if (from.type !== "group") throw new ImpossibleError(`chat ${chatId} is no group`);
      judgeChat(newId, "supergroup", false, []);
      const to = openChat(world, newId, "supergroup", false, []);
      from.movedTo = to.id;
      announceUpgrade(world, from, to);
    },
    ...topicTroubles(world),
    setFloodLimits: (limits) => world.flood.setLimits(limits),
  } satisfies Partial<Controls>;
}

function topicTroubles(world: World) {
  const chatWith = (chatId: number, threadId: number): Chat => {
    const chat = knownChat(world, chatId);
    if (chat.isForum && chat.topics.has(threadId)) return chat;
    throw new ImpossibleError(`chat ${chatId} has no topic ${threadId}`);
  };
  return {
    closeTopic: (chatId, threadId) => void chatWith(chatId, threadId).closed.add(threadId),
    reopenTopic(chatId, threadId) {
      if (chatWith(chatId, threadId).closed.delete(threadId)) return;
      throw new ImpossibleError(`the topic ${threadId} of chat ${chatId} is not closed`);
    },
    deleteTopic: (chatId, threadId) => void chatWith(chatId, threadId).topics.delete(threadId),
    endForum(chatId) {
      const chat = knownChat(world, chatId);
      if (!chat.isForum) throw new ImpossibleError(`chat ${chatId} is no forum`);
      chat.isForum = false;
    },
  } satisfies Partial<Controls>;
}

function knownChat(world: World, chatId: number): Chat {
  const chat = world.chats.get(chatId);
  if (chat === undefined) {
    throw new ImpossibleError(`chat ${chatId} does not exist: make it with addChat or user`);
  }
  return chat;
}

function judgeChat(
  id: number,
  type: Chat["type"],
  isForum: boolean,
  topics: readonly number[],
): void {
  if (!Number.isSafeInteger(id) || id === 0 || id > 0 !== (type === "private")) {
    throw new ImpossibleError(
      `${id} is no id of a ${type} chat: people are positive, groups negative`,
    );
  }
  if ((isForum || topics.length > 0) && !(isForum && type === "supergroup")) {
    throw new ImpossibleError("topics are in supergroups with isForum");
  }
  if (topics.some((topic) => topic <= 1)) {
    throw new ImpossibleError("topics have ids above 1: General is 1 and is always there");
  }
}
