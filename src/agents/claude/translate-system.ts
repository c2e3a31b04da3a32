import type { AgentEvent } from "../../../machines/vocabulary.ts";
import type { WireSystem } from "./protocol.ts";
import { beginTurn } from "./translate-turn.ts";
import { nothing, tell, andThen } from "./translate-state.ts";
import type { TranslateState, Translation } from "./translate-state.ts";

export function translateSystem(
  state: TranslateState,
  line: WireSystem,
  transcriptOf: (agentSessionId: string) => string,
): Translation {
  switch (line.subtype) {
    case "init":
      return andThen(nameSession(state, line, transcriptOf), (named) =>
        named.turn === null && named.ready ? beginTurn(named) : nothing(named),
      );
    case "status":
      return translateStatus(state, line);
    case "compact_boundary":
      return translateCompacted(state, line);
    case "task_started":
    case "task_updated":
    case "task_notification":
    case "background_tasks_changed":
      return translateTask(state, line);
    default:
      return nothing(state);
  }
}

/** Each turn begins with the session's id: another one than before means a typed `/clear`. */
function nameSession(
  state: TranslateState,
  line: WireSystem,
  transcriptOf: (agentSessionId: string) => string,
): Translation {
  const id = line.session_id ?? state.sessionId;
  const named = {
    ...state,
    sessionId: id,
    sessionNamed: true,
    cleared: false,
    model: line.model ?? state.model,
    // Told once and kept: a later init may be shorter.
    lifecycle: state.lifecycle || (line.capabilities ?? []).includes("msg_lifecycle_v1"),
  };
  // The first init of a process may name another session than was asked for, and be no `/clear`.
  const mayBeNew = state.sessionNamed || state.cleared;
  if (id === null || !mayBeNew || id === state.sessionId) return nothing(named);
  return tell(
    { ...named, used: null, usedModel: null },
    { type: "agent.reset", agentSessionId: id, transcript: transcriptOf(id) },
  );
}

/** `post_tokens` leaves the system prompt and the tools out (measured on 2.1.332), hence the question. */
function translateCompacted(state: TranslateState, line: WireSystem): Translation {
  const { post_tokens: used = state.used, trigger } = line.compact_metadata ?? {};
  return {
    state: { ...state, used },
    events: [{ type: "turn.compacted", ok: true, manual: trigger === "manual", detail: "" }],
    effects: [{ type: "askContext" }],
  };
}

function translateStatus(state: TranslateState, line: WireSystem): Translation {
  const active = line.status === "compacting";
  const told: AgentEvent[] =
    active === state.compacting ? [] : [{ type: "turn.compacting", active }];
  if (line.compact_result !== "failed") return tell({ ...state, compacting: active }, ...told);
  const detail = line.compact_error ?? "";
  const turn = state.turn === null ? null : { ...state.turn, localText: detail };
  return tell({ ...state, compacting: active, turn }, ...told, notCompacted(detail));
}

export function notCompacted(detail: string): AgentEvent {
  return { type: "turn.compacted", ok: false, manual: false, detail };
}

const ENDED: ReadonlySet<string> = new Set(["completed", "failed", "killed", "stopped"]);

function translateTask(state: TranslateState, line: WireSystem): Translation {
  const tasks = new Set(state.background);
  if (line.subtype === "background_tasks_changed") {
    tasks.clear();
    for (const task of line.tasks ?? []) tasks.add(task.task_id);
  } else if (line.task_id !== undefined) {
    // A subagent that the turn waits for is a task as well, and not in the background.
    if (line.subtype === "task_started" && line.is_backgrounded !== false) tasks.add(line.task_id);
    else if (line.subtype === "task_notification" || ENDED.has(line.patch?.status ?? "")) {
      tasks.delete(line.task_id);
    }
  }
  const wake =
    line.subtype === "task_notification" && state.turn === null
      ? (line.summary ?? "a background task has ended")
      : state.wake;
  const changed = tasks.size !== state.background.size;
  return tell(
    { ...state, background: tasks, wake },
    ...(changed ? [{ type: "agent.background", count: tasks.size } as const] : []),
  );
}
