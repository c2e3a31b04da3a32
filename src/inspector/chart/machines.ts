import { deliveryMachine } from "../../../machines/delivery.ts";
import { pollerMachine } from "../../../machines/poller.ts";
import { sessionMachine } from "../../../machines/session.ts";
import { supervisorMachine } from "../../../machines/supervisor.ts";

/** The machines that are drawn, by their ids. */
export const MACHINES = {
  session: sessionMachine,
  supervisor: supervisorMachine,
  poller: pollerMachine,
  delivery: deliveryMachine,
} as const;

export type MachineName = keyof typeof MACHINES;

type Provided<Name extends MachineName> = Parameters<(typeof MACHINES)[Name]["provide"]>[0];

/** Names of the guards and delays that a machine's `setup` defines. */
export type ChartedGuard<Name extends MachineName> = keyof NonNullable<Provided<Name>["guards"]>;
export type ChartedDelay<Name extends MachineName> = keyof NonNullable<Provided<Name>["delays"]>;
