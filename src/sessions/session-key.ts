import type { Address, SessionKey } from "../ports.ts";

/** A session is one conversation: a channel's chat, or a topic in it. */
export function sessionKey(address: Address): SessionKey {
  return `${laneOf(address)}/${address.topicId ?? "-"}`;
}

/** Outgoing messages of one chat go through one lane: limits are per chat, not per topic. */
export function laneOf(address: Address): string {
  return `${address.channel}/${address.chatId}`;
}
