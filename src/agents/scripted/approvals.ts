import type { World } from "./session.ts";

export type Decision =
  | { readonly allow: true }
  | { readonly allow: false; readonly reason: string };

/** Permissions that were asked for and are not decided. */
export interface Approvals {
  /** Rejects with the signal's reason when the turn is interrupted; the request is withdrawn then. */
  ask(
    tool: { readonly name: string; readonly input: object; readonly id: string },
    signal: AbortSignal,
  ): Promise<Decision>;
  /** Ignores an id that is not asked for. */
  decide(requestId: string, decision: Decision): void;
  /** The input has ended: nobody can decide any more. */
  denyAll(reason: string): void;
}

/** What the real agent suggests for an edit. */
const SUGGESTIONS = [{ type: "setMode", mode: "acceptEdits", destination: "session" }];

export function createApprovals(world: World): Approvals {
  const open = new Map<string, (decision: Decision) => void>();
  let closed: Decision | null = null;
  return {
    ask: (tool, signal) =>
      new Promise((resolve, reject) => {
        if (closed !== null) return resolve(closed);
        const id = world.newId();
        const withdraw = (): void => {
          open.delete(id);
          world.output.line({ type: "control_cancel_request", request_id: id });
          reject(signal.reason as Error);
        };
        signal.addEventListener("abort", withdraw, { once: true });
        open.set(id, (decision) => {
          open.delete(id);
          signal.removeEventListener("abort", withdraw);
          resolve(decision);
        });
        const request = {
          subtype: "can_use_tool",
          tool_name: tool.name,
          display_name: tool.name,
          input: tool.input,
          permission_suggestions: SUGGESTIONS,
          tool_use_id: tool.id,
        };
        world.output.line({ type: "control_request", request_id: id, request });
      }),
    decide: (requestId, decision) => open.get(requestId)?.(decision),
    denyAll(reason) {
      closed = { allow: false, reason };
      for (const settle of open.values()) settle(closed);
    },
  };
}
