import { messageInFlight } from "../../machines/facts.ts";
import type { Probe } from "../../machines/launch.ts";
import type { PromptTrace } from "../../machines/vocabulary.ts";
import { both, trace, type Move } from "./move.ts";
import { send, withProcess, type SessionMachine, type World } from "./world.ts";

/** What the probe before a launch can find. */

export function probeMoves(machine: SessionMachine, world: World): readonly Move[] {
  const { snapshot } = world;
  if (snapshot === null || !snapshot.matches({ normalizing: "probing" })) return [];
  return leftovers(world).map(({ name, settled }) => ({
    name: `the probe answers${name}`,
    worlds: both(
      send(machine, settled, {
        type: "xstate.done.actor.prepareLaunch",
        output: probe(settled),
      }),
    ),
  }));
}

/** What an agent that outlived the service has done by the time it is certainly gone. */
function leftovers(world: World): readonly { name: string; settled: World }[] {
  const { process } = world;
  if (process === null) return [{ name: "", settled: world }];
  const gone = withProcess(world, null);
  const { prompt } = process;
  if (prompt === null || prompt.swallowed || prompt.stage === "finished") {
    return [{ name: ", the old agent is gone", settled: gone }];
  }
  const cut = {
    name: ", the old agent was cut short",
    settled: trace(gone, process, "unfinished"),
  };
  const done = { name: ", the old agent had finished", settled: trace(gone, process, "finished") };
  // An agent that outlives the service writes its row within some 200 ms; only one that is
  // killed with the service leaves none, and before the API's first answer no tool has run.
  return prompt.written || prompt.tools
    ? [cut, done]
    : [{ name: ", the old agent left no trace", settled: gone }, cut, done];
}

function probe(world: World): Probe {
  const { stored } = world;
  const epoch = stored.epoch + 1;
  const present = (id: string | null | undefined) =>
    id != null && world.transcripts[id] !== undefined ? "present" : "missing";
  return {
    workspace: { ok: true, path: "/w" },
    fresh: { agentSessionId: `s${epoch}`, transcript: `s${epoch}` },
    bound: stored.bound === null ? null : present(stored.bound.agentSessionId),
    boundIncomplete: isIncomplete(world),
    last: stored.launch === null ? null : present(stored.launch.agentSessionId),
    trace: traceOf(world),
    foreignPid: null,
  };
}

function isIncomplete({ stored, transcripts }: World): boolean {
  if (stored.bound === null || stored.bound.prompts === null) return false;
  const { first, last } = stored.bound.prompts;
  const rows = transcripts[stored.bound.agentSessionId];
  return rows !== undefined && [first, last].some((uuid) => rows[uuid] === undefined);
}

function traceOf(world: World): PromptTrace | null {
  const message = messageInFlight(world.stored);
  if (message === null || message.transcript === null) return null;
  const found = world.transcripts[message.transcript]?.[message.uuid];
  if (found === undefined) return { found: "absent" };
  return found.stage === "finished"
    ? { found: "finished", text: "answer", context: null }
    : { found: "unfinished", toolsRan: found.tools };
}
