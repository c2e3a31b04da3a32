import { afterEach, beforeEach, describe } from "vitest";
import type { Store } from "../../src/ports.ts";
import { buttonsContract } from "./store-buttons-contract.ts";
import { intakeContract } from "./store-intake-contract.ts";
import { moveContract } from "./store-move-contract.ts";
import { outboxContract } from "./store-outbox-contract.ts";
import { sessionContract } from "./store-session-contract.ts";
import { manualClock } from "./store-fixtures.ts";
import type { ManualClock } from "./store-fixtures.ts";

export interface OpenedStore {
  readonly store: Store;
  /** Opens the same data again; the first store is disposed by then. */
  reopen(): Promise<Store>;
  cleanup(): Promise<void>;
}

/** What the parts of the suite get: a fresh store for every test. */
export interface StoreUnderTest {
  readonly store: Store;
  readonly clock: ManualClock;
  /** Disposes the store and goes on with the same data. */
  restart(): Promise<Store>;
}

/** What every store must do. `agentKind` of the store under test is `scripted`. */
export function storeContract(
  name: string,
  open: (clock: ManualClock) => Promise<OpenedStore>,
): void {
  describe(`${name} as a store`, () => {
    let opened: OpenedStore;
    let current: Store;
    let clock: ManualClock;
    const use = (): StoreUnderTest => ({
      store: current,
      clock,
      async restart() {
        current[Symbol.dispose]();
        current = await opened.reopen();
        return current;
      },
    });

    beforeEach(async () => {
      clock = manualClock();
      opened = await open(clock);
      current = opened.store;
    });
    afterEach(async () => {
      current[Symbol.dispose]();
      await opened.cleanup();
    });

    describe("taking in", () => {
      intakeContract(use);
    });
    describe("sessions and their facts", () => {
      sessionContract(use);
    });
    describe("buttons and changed messages", () => {
      buttonsContract(use);
    });
    describe("outbox", () => {
      outboxContract(use);
    });
    describe("a chat that moves", () => {
      moveContract(use);
    });
  });
}
