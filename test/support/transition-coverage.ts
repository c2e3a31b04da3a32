import type { AnyStateMachine, AnyTransitionDefinition, InspectionEvent } from "xstate";

/**
 * Which states and transitions of a machine real actors went through, against
 * all that its definition has.
 */
export interface TransitionCoverage {
  /** For `createActor(…, { inspect })`; other machines' steps do not count. */
  inspect(event: InspectionEvent): void;
  /** Names of the states and transitions that no actor went through, in the definition's order. */
  missing(): readonly string[];
}

type StateNode = AnyStateMachine["root"];
type Nodes = readonly StateNode[];

export function createTransitionCoverage(machine: AnyStateMachine): TransitionCoverage {
  const taken = new Set<string>();
  const note = (nodes: Nodes) => {
    for (const node of nodes) taken.add(node.id);
  };
  return {
    inspect(event) {
      // The first state of an actor comes without a step.
      if (event.type === "@xstate.snapshot" || event.type === "@xstate.microstep") {
        if ("_nodes" in event.snapshot) note(event.snapshot._nodes as Nodes);
      }
      if (event.type !== "@xstate.microstep") return;
      for (const definition of event._transitions) taken.add(transitionName(definition));
    },
    missing: () => partsOf(machine).filter((name) => !taken.has(name)),
  };
}

/** Names of all states and all transitions of a machine: handled events, delays, invokes, always. */
export function partsOf(machine: AnyStateMachine): readonly string[] {
  return partsOfNode(machine.root);
}

function partsOfNode(node: StateNode): readonly string[] {
  const listed = [...node.transitions.values()].flat();
  return [
    node.id,
    ...[...listed, ...(node.always ?? [])].map(transitionName),
    ...Object.values(node.states).flatMap(partsOfNode),
  ];
}

/**
 * `source — event [place among those for the event] → target`. By name, because
 * `machine.provide` makes nodes and definitions of its own.
 */
export function transitionName(definition: AnyTransitionDefinition): string {
  const { source, eventType, target } = definition;
  const siblings = (eventType === "" ? source.always : source.transitions.get(eventType)) ?? [];
  const event = eventType === "" ? "always" : eventType;
  const to = target?.map((node) => node.id).join() ?? "no state";
  return `${source.id} — ${event} [${siblings.indexOf(definition)}] → ${to}`;
}
