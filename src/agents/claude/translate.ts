import type { AgentEvent, PromptTrace } from "../../../machines/vocabulary.ts";
import { contextUsageSchema, initializeSchema } from "./protocol.ts";
import type { WireBlock, WireLine, WireResult } from "./protocol.ts";
import { compactionRefused, lastWords, localOutput, withLocalText } from "./local-command.ts";
import { offersOf } from "./offers.ts";
import { parseSelfReport } from "./self-report.ts";
import { notCompacted, translateSystem } from "./translate-system.ts";
import { beginTurn, acceptPrompt } from "./translate-turn.ts";
import { planOf, translateRequest, withdrawRequest } from "./translate-approval.ts";
import { NEW_TURN, nothing, tell, andThen } from "./translate-state.ts";
import type { TranslateState, Translation } from "./translate-state.ts";
import {
  baseModel,
  contextSize,
  contextTokens,
  isRealModel,
  outcomeOf,
  summarizeInput,
  usageOf,
  windowsOf,
} from "./turn.ts";

type Line<T extends WireLine["type"]> = Extract<WireLine, { type: T }>;

/** What one line of the agent means. Pure: `transcriptOf` maps a session's id to its file. */
export function translate(
  state: TranslateState,
  line: WireLine,
  transcriptOf: (agentSessionId: string) => string,
): Translation {
  switch (line.type) {
    case "control_response":
      return translateResponse(state, line);
    case "control_request":
      return translateRequest(state, line);
    case "control_cancel_request":
      return withdrawRequest(state, line.request_id);
    case "command_lifecycle":
      return translateLifecycle({ ...state, lifecycle: true }, line);
    case "conversation_reset":
      // The id it names is not the one of the new session: that comes with the next init.
      return nothing({ ...state, cleared: true });
    case "system":
      return translateSystem(state, line, transcriptOf);
    case "assistant":
      return translateAssistant(state, line);
    case "user":
      return translateUser(state, line);
    case "result":
      return translateResult(state, line);
    case "stream_event":
      return translateStream(state, line);
  }
}

function translateResponse(state: TranslateState, line: Line<"control_response">): Translation {
  const { response } = line;
  if (response.request_id === state.contextRequestId) {
    return translateContext(state, response.response);
  }
  if (response.request_id !== state.initializeId || state.ready) return nothing(state);
  if (response.subtype !== "success") {
    const detail = response.error ?? "the agent refused to be initialized";
    return { state, events: [], effects: [{ type: "failStart", reason: "start-failed", detail }] };
  }
  const account = initializeSchema.safeParse(response.response).data?.account;
  // Other providers (Bedrock, Vertex) log in by means the CLI does not report here.
  const elsewhere = !["firstParty", undefined, null].includes(account?.apiProvider);
  if (account?.tokenSource === "none" && !account.apiKeySource && !elsewhere) {
    const detail = "not logged in: run the agent's /login in a terminal or set its API key";
    return { state, events: [], effects: [{ type: "failStart", reason: "not-logged-in", detail }] };
  }
  const offers = offersOf(response.response);
  return {
    state: { ...state, ready: true },
    events: [
      ...(offers === null ? [] : [{ type: "agent.offers", offers } as const]),
      { type: "agent.ready", model: state.model },
    ],
    effects: state.resumed ? [{ type: "askContext" }] : [],
  };
}

/** An answer that tells nothing is passed over: the next call's usage will. */
function translateContext(state: TranslateState, answer: unknown): Translation {
  const usage = contextUsageSchema.safeParse(answer).data;
  if (usage === undefined || usage.totalTokens === 0) return nothing(state);
  const { totalTokens: used, maxTokens: window, model } = usage;
  const windows =
    model === undefined ? state.windows : new Map(state.windows).set(baseModel(model), window);
  return tell(
    { ...state, used, usedModel: model ?? state.usedModel, windows },
    { type: "agent.context", context: { used, window } },
  );
}

function translateLifecycle(state: TranslateState, line: Line<"command_lifecycle">): Translation {
  const { prompt } = state;
  if (prompt === null || prompt.uuid !== line.command_uuid) return nothing(state);
  switch (line.state) {
    case "started":
      return acceptPrompt(state);
    case "completed":
    case "cancelled": {
      // A prompt that is folded into another turn is completed a moment before the result.
      const effect = { type: "awaitResult", uuid: prompt.uuid } as const;
      return {
        state: { ...state, prompt: { ...prompt, settling: true } },
        events: [],
        effects: prompt.settling ? [] : [effect],
      };
    }
    default:
      return nothing(state);
  }
}

function translateAssistant(state: TranslateState, line: Line<"assistant">): Translation {
  const { message } = line;
  if (line.parent_tool_use_id) return tell(state, ...toolsStarted(message.content));
  const real = isRealModel(message.model);
  const turned = state.turn === null ? beginTurn(state) : nothing(state);
  return andThen(turned, (begun) => {
    const turn = begun.turn ?? NEW_TURN;
    const measured =
      real && message.usage
        ? { used: contextTokens(message.usage), usedModel: message.model ?? null }
        : {};
    const { held, events } = holdBack(turn.heldText, message.content);
    const refusal = compactionRefused(line);
    return tell(
      {
        ...begun,
        ...measured,
        turn: {
          ...turn,
          real: turn.real || real,
          heldText: held,
          partial: "",
          plan: planOf(message.content) ?? turn.plan,
        },
      },
      ...events,
      ...(refusal === null ? [] : [notCompacted(refusal)]),
    );
  });
}

/** A text is told once something follows it in the main thread: the last one is the answer. */
function holdBack(
  before: string | null,
  content: readonly WireBlock[],
): { held: string | null; events: readonly AgentEvent[] } {
  let held = before;
  const events: AgentEvent[] = [];
  const flush = (): void => {
    const { text } = parseSelfReport(held ?? "");
    if (text.trim() !== "") events.push({ type: "turn.text", text });
    held = null;
  };
  for (const block of content) {
    if (block.type === "text") {
      flush();
      held = block.text ?? null;
    } else if (block.type === "tool_use") {
      flush();
      events.push(...toolsStarted([block]));
    }
  }
  return { held, events };
}

function toolsStarted(content: readonly WireBlock[]): readonly AgentEvent[] {
  return content.flatMap((block) =>
    block.type === "tool_use" && block.id !== undefined
      ? [
          {
            type: "turn.toolStarted" as const,
            toolUseId: block.id,
            name: block.name ?? "unknown",
            summary: summarizeInput(block.input),
          },
        ]
      : [],
  );
}

/** How the main thread's newest text block grows. */
function translateStream(state: TranslateState, line: Line<"stream_event">): Translation {
  const { turn } = state;
  const { type, content_block: block, delta } = line.event;
  if (turn === null || line.parent_tool_use_id) return nothing(state);
  if (type === "content_block_start") {
    return nothing(block?.type === "text" ? { ...state, turn: { ...turn, partial: "" } } : state);
  }
  if (type !== "content_block_delta" || delta?.type !== "text_delta") return nothing(state);
  const partial = turn.partial + (delta.text ?? "");
  const event = { type: "turn.partial", text: partial } as const;
  return tell({ ...state, turn: { ...turn, partial } }, event);
}

function translateUser(state: TranslateState, line: Line<"user">): Translation {
  const { content } = line.message;
  const local = localOutput(line);
  if (local !== null && state.turn !== null) {
    return nothing({ ...state, turn: withLocalText(state.turn, local) });
  }
  const ended = content.flatMap((block) =>
    block.type === "tool_result" && block.tool_use_id !== undefined
      ? [{ type: "turn.toolEnded" as const, toolUseId: block.tool_use_id }]
      : [],
  );
  return tell(state, ...ended);
}

/** Which prompts a result answers. */
function promptsOf(state: TranslateState, result: WireResult): readonly string[] {
  const { prompt } = state;
  const named = result.user_message_uuids;
  if (named !== undefined) {
    // What is not ours was given by nobody we know: only ours can end here.
    return prompt !== null && named.includes(prompt.uuid) ? [prompt.uuid] : [];
  }
  if (prompt === null || result.origin?.kind === "task-notification") return [];
  // An agent that names its prompts has taken this one before it answers it.
  return state.lifecycle && !prompt.accepted ? [] : [prompt.uuid];
}

function translateResult(state: TranslateState, result: WireResult): Translation {
  // Before the agent is ready no turn can end: the result says why the start failed.
  if (!state.ready) {
    const errors = result.errors ?? (result.result === undefined ? [] : [result.result]);
    return nothing({ ...state, startErrors: [...state.startErrors, ...errors] });
  }
  const uuids = promptsOf(state, result);
  const ours = uuids.length > 0;
  const begun = ours
    ? acceptPrompt(state)
    : state.turn === null
      ? beginTurn(state)
      : nothing(state);
  return andThen(begun, (running) => endTurn(running, result, uuids));
}

function endTurn(state: TranslateState, result: WireResult, uuids: readonly string[]): Translation {
  const turn = state.turn ?? NEW_TURN;
  const outcome = outcomeOf(result, turn.real);
  const windows = new Map([...state.windows, ...windowsOf(result)]);
  const report = parseSelfReport(lastWords(turn, result, outcome));
  const ended: AgentEvent = {
    type: "turn.ended",
    uuids,
    outcome,
    text: report.text,
    context: contextSize(state.used, state.usedModel ?? state.model, windows),
    usage: usageOf(result, state.cost),
    selfReportedPercent: report.percent,
  };
  return tell(
    {
      ...state,
      windows,
      cost: result.total_cost_usd ?? state.cost,
      prompt: uuids.length > 0 ? null : state.prompt,
      turn: null,
      compacting: false,
    },
    ...compactingEnds(state),
    ended,
  );
}

function compactingEnds(state: TranslateState): readonly AgentEvent[] {
  return state.compacting ? [{ type: "turn.compacting", active: false }] : [];
}

/**
 * No result has come for a prompt that the agent is done with: it was taken
 * for a duplicate, or its result was too long to be read. The transcript
 * decides. Says nothing if the result has come meanwhile.
 */
export function settle(state: TranslateState, uuid: string, trace: PromptTrace): Translation {
  const { prompt } = state;
  if (prompt === null || prompt.uuid !== uuid || !prompt.settling) return nothing(state);
  const finished = trace.found === "finished" ? trace : null;
  return tell(
    { ...state, prompt: null, turn: state.turn?.unsolicited === true ? state.turn : null },
    ...compactingEnds(state),
    {
      type: "turn.ended",
      uuids: [uuid],
      outcome: finished !== null ? "completed" : prompt.interrupted ? "interrupted" : "swallowed",
      text: finished?.text ?? "",
      context:
        finished?.context ?? contextSize(state.used, state.usedModel ?? state.model, state.windows),
      usage: null,
      // A trace has no reports in it any more.
      selfReportedPercent: null,
    },
  );
}
