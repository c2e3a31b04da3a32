import { setTimeout as sleep } from "node:timers/promises";
import { messageInFlight } from "../../../machines/facts.ts";
import { sessionKey } from "../../../src/sessions/session-key.ts";
import type { Bench } from "../holdfast.ts";
import type { Holdfast } from "../holdfast-process.ts";
import { findWithVariable, killQuietly } from "../processes.ts";
import { createCrowd, type Crowd } from "./crowd.ts";
import type { Weather } from "./faults.ts";
import type { Plan, Planned, Topic } from "./plan.ts";

/** Messages that are under way at once. */
const CROWDED = 90;
const HANDFUL = 30;
const LOOK_MS = 40;
const TOO_LONG_MS = 120_000;

export interface Travelled {
  readonly crowd: Crowd;
  readonly exitCode: number | string;
  /** Messages whose agent was killed while it worked on them. */
  readonly killed: ReadonlySet<string>;
}

/** Goes through the whole plan: writes, breaks, starts again, until everything is answered. */
export async function travel(
  bench: Bench,
  plan: Plan,
  weather: Weather,
  settings: Readonly<Record<string, string>>,
): Promise<Travelled> {
  const crowd = createCrowd(bench.telegram, plan);
  const killed = new Set<string>();
  const kills = [...plan.kills];
  const deadline = Date.now() + TOO_LONG_MS;
  let service = await bench.start(settings);
  while (crowd.unsent() > 0 || crowd.unanswered().length > 0) {
    if (Date.now() > deadline) throw new Error(`unanswered: ${crowd.unanswered().join(", ")}`);
    if (crowd.unanswered().length < CROWDED) crowd.write(HANDFUL);
    crowd.read();
    killDoomed(bench, plan, crowd, killed);
    if (crowd.answered() >= (kills[0] ?? Number.POSITIVE_INFINITY)) {
      kills.shift();
      service = await killAndStart(bench, service, crowd, weather, settings);
    }
    await sleep(LOOK_MS);
  }
  weather.clear();
  return { crowd, killed, exitCode: await service.stop() };
}

/** People go on writing meanwhile. */
async function killAndStart(
  bench: Bench,
  service: Holdfast,
  crowd: Crowd,
  weather: Weather,
  settings: Readonly<Record<string, string>>,
): Promise<Holdfast> {
  await service.kill();
  crowd.write(HANDFUL / 2);
  await sleep(weather.penaltyLeftMs());
  return bench.start(settings);
}

function killDoomed(bench: Bench, plan: Plan, crowd: Crowd, killed: Set<string>): void {
  const open = new Set(crowd.unanswered());
  const doomed = plan.messages.filter(
    ({ name, isDoomed }) => isDoomed && open.has(name) && !killed.has(name),
  );
  for (const message of doomed) {
    if (!isBeingWorkedOn(bench, message)) continue;
    killed.add(message.name);
    for (const pid of agentsOf(bench, message.topic)) killQuietly(pid);
  }
}

function isBeingWorkedOn(bench: Bench, { topic, text }: Planned): boolean {
  using store = bench.store();
  const message = messageInFlight(store.facts(keyOf(topic)));
  return message?.state === "accepted" && store.message(message.id)?.text === text;
}

/** With whatever they have started. */
function agentsOf(bench: Bench, topic: Topic): readonly number[] {
  const ours = new Set(bench.agents());
  return findWithVariable(`HOLDFAST_AGENT_SESSION=${keyOf(topic)}`).filter((pid) => ours.has(pid));
}

export function keyOf({ chatId, threadId }: Topic): string {
  return sessionKey({ channel: "telegram", chatId: String(chatId), topicId: String(threadId) });
}
