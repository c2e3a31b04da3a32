import type { AnyStateMachine, AnyTransitionDefinition } from "xstate";
import type { Chart, ChartEvent, ChartState, ChartTransition } from "./chart.ts";
import { readDelay, readEvent } from "./read-event.ts";
import { guardInWords, readGuard } from "./read-guard.ts";
import type { ChartWords } from "./words.ts";

type StateNode = AnyStateMachine["root"];

/** A machine's chart, from its definition alone; throws where a guard or delay has no words. */
export function readChart(machine: AnyStateMachine, words: ChartWords): Chart {
  return {
    id: machine.id,
    root: readState(machine.root),
    transitions: nodesOf(machine.root).flatMap((node) =>
      definitionsOf(node).flatMap((candidates) => readCandidates(candidates, words)),
    ),
  };
}

/**
 * `source/event/place among those for the event`. By name, because
 * `machine.provide` makes definitions of its own.
 */
export function transitionId(definition: AnyTransitionDefinition): string {
  const { source, eventType } = definition;
  const candidates = (eventType === "" ? source.always : source.transitions.get(eventType)) ?? [];
  return `${source.id}/${eventType === "" ? "always" : eventType}/${candidates.indexOf(definition)}`;
}

function readState(node: StateNode): ChartState {
  const { config } = node;
  return {
    id: node.id,
    path: node.path,
    kind: node.type,
    history: node.type === "history" ? node.history || "shallow" : null,
    description: node.description ?? null,
    meta: node.meta ?? null,
    tags: node.tags,
    initial: node.type === "compound" ? (node.initial.target[0]?.id ?? null) : null,
    // XState adds actions of its own to the node's lists, for its delays.
    entry: actionNames(config.entry),
    exit: actionNames(config.exit),
    invokes: node.invoke.map(({ id, src }) => ({ id, src: typeof src === "string" ? src : id })),
    states: Object.values(node.states).map(readState),
  };
}

function nodesOf(node: StateNode): readonly StateNode[] {
  return [node, ...Object.values(node.states).flatMap(nodesOf)];
}

/** A state's definitions, those for one event together: the first whose guard holds is taken. */
function definitionsOf(node: StateNode): readonly (readonly AnyTransitionDefinition[])[] {
  return [node.always ?? [], ...node.transitions.values()];
}

function readCandidates(
  candidates: readonly AnyTransitionDefinition[],
  words: ChartWords,
): readonly ChartTransition[] {
  return candidates.map((definition, place) => {
    const guard = definition.guard === undefined ? null : readGuard(definition.guard, words.guards);
    const otherwise = place > 0 ? "otherwise" : null;
    return {
      id: transitionId(definition),
      source: definition.source.id,
      targets: definition.target?.map(({ id }) => id) ?? [],
      event: eventOf(definition, words),
      guard,
      condition: guard === null ? otherwise : guardInWords(guard),
      actions: actionNames(definition.actions),
      reenter: definition.reenter,
      fromAnyState: definition.source.parent === undefined,
    };
  });
}

function eventOf(definition: AnyTransitionDefinition, words: ChartWords): ChartEvent {
  const { delay } = { delay: undefined, ...definition } as { readonly delay: unknown };
  return typeof delay === "string" || typeof delay === "number"
    ? readDelay(definition.eventType, delay, words)
    : readEvent(definition.eventType);
}

function actionNames(actions: unknown): readonly string[] {
  const listed: readonly unknown[] = Array.isArray(actions)
    ? actions
    : actions === undefined
      ? []
      : [actions];
  return listed.map((action) => {
    if (typeof action === "string") return action;
    // `{ type, params }`, and XState's own actions, which are functions with a type.
    if (action !== null && (typeof action === "object" || typeof action === "function")) {
      if ("type" in action && typeof action.type === "string") return action.type;
      if ("name" in action && typeof action.name === "string") return action.name;
    }
    return "unnamed";
  });
}
