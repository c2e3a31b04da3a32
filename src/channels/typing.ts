import type { SessionPhase } from "../../machines/session-types.ts";
import type { Address, Channel, Clock } from "../ports.ts";

/** Shows in a chat that its session works, for as long as it does. */
export interface Typing {
  phaseChanged(address: Address, phase: SessionPhase | null): void;
  stop(): void;
}

export function createTyping(
  channels: ReadonlyMap<string, Channel>,
  clock: Clock,
  everyMs: number,
): Typing {
  const timers = new Map<string, unknown>();
  const idOf = ({ channel, chatId, topicId }: Address) => `${channel}/${chatId}/${topicId ?? ""}`;

  const show = (address: Address) => {
    void channels
      .get(address.channel)
      ?.typing?.(address)
      .catch(() => {});
    timers.set(
      idOf(address),
      clock.setTimeout(() => show(address), everyMs),
    );
  };
  const hide = (id: string) => {
    clock.clearTimeout(timers.get(id));
    timers.delete(id);
  };

  return {
    phaseChanged(address, phase) {
      const id = idOf(address);
      // Starting is work too for the person who waits.
      const works = phase === "busy" || phase === "moving";
      if (works && !timers.has(id)) show(address);
      if (!works && timers.has(id)) hide(id);
    },
    stop() {
      for (const id of timers.keys()) hide(id);
    },
  };
}
