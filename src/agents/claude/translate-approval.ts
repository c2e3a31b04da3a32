import { z } from "zod";
import type { ApprovalRequest, Question } from "../../../machines/vocabulary.ts";
import { bounded, detailOf } from "./approval-detail.ts";
import { allowancesIn } from "./approval-suggestions.ts";
import type { WireBlock, WireLine } from "./protocol.ts";
import { approvalDecided, nothing, tell } from "./translate-state.ts";
import type { AskedFor, TranslateState, Translation } from "./translate-state.ts";
import { summarizeInput } from "./turn.ts";

type ControlRequest = Extract<WireLine, { type: "control_request" }>;

/** What the agent asks a person; every other kind of request is declined. */
export function translateRequest(state: TranslateState, line: ControlRequest): Translation {
  const { request_id: requestId, request } = line;
  if (request.subtype !== "can_use_tool") {
    const decline = { type: "decline", requestId, subtype: request.subtype } as const;
    return { state, events: [], effects: [decline] };
  }
  const suggestions = request.permission_suggestions ?? [];
  const asked: AskedFor = { input: request.input, suggestions };
  const approvals = new Map(state.approvals).set(requestId, asked);
  return tell(
    { ...state, approvals },
    { type: "approval.requested", request: requestOf(state, line, suggestions) },
  );
}

export function withdrawRequest(state: TranslateState, requestId: string): Translation {
  if (!state.approvals.has(requestId)) return nothing(state);
  return tell(approvalDecided(state, requestId), { type: "approval.withdrawn", requestId });
}

function requestOf(
  state: TranslateState,
  { request_id: requestId, request }: ControlRequest,
  suggestions: readonly unknown[],
): ApprovalRequest {
  const { tool_name: tool = "unknown", tool_use_id: toolUseId = null, input } = request;
  const common = { requestId, toolUseId, tool, summary: summarizeInput(input) };
  const questions = tool === "AskUserQuestion" ? questionsIn(input) : [];
  if (questions.length > 0) {
    return { ...common, kind: "question", detail: "", always: null, questions };
  }
  if (tool === "ExitPlanMode") {
    const detail = bounded(planIn(input) ?? state.turn?.plan ?? state.turn?.heldText ?? "");
    return { ...common, kind: "plan", detail, always: null, questions: [] };
  }
  const always = allowancesIn(suggestions);
  return { ...common, kind: "tool", detail: detailOf(tool, input), always, questions: [] };
}

const questionsSchema = z.object({
  questions: z.array(
    z.object({
      question: z.string(),
      header: z.string().default(""),
      multiSelect: z.boolean().default(false),
      options: z
        .array(z.object({ label: z.string(), description: z.string().default("") }))
        .default([]),
    }),
  ),
});

function questionsIn(input: unknown): readonly Question[] {
  return questionsSchema.safeParse(input).data?.questions ?? [];
}

const planSchema = z.object({ plan: z.string().min(1) });

function planIn(input: unknown): string | null {
  return planSchema.safeParse(input).data?.plan ?? null;
}

/** The request itself does not hold the plan (measured on 2.1.332): the tool call before it may. */
export function planOf(content: readonly WireBlock[]): string | null {
  const call = content.find((one) => one.type === "tool_use" && one.name === "ExitPlanMode");
  return call === undefined ? null : planIn(call.input);
}
