import fc from "fast-check";
import { expect, test } from "vitest";
import { foldFacts, initialFacts } from "../../machines/fold.ts";
import type { SessionFact } from "../../machines/facts.ts";
import type { MeasuredTurn, Store } from "../../src/ports.ts";
import type { StoreUnderTest } from "./store-contract.ts";
import {
  ACCOUNT,
  CHAT,
  KEY,
  OTHER_CHAT,
  TOPIC,
  commandItem,
  draft,
  messageItem,
  only,
} from "./store-fixtures.ts";
import { sessionKey } from "../../src/sessions/session-key.ts";

const bound = { type: "workspace.bound", path: "/work/a", agentKind: "claude" } as const;

/** Everything a failed write could have changed. */
function visible(store: Store): unknown {
  return {
    session: store.session(KEY),
    history: store.history(KEY),
    commands: store.pendingCommands(),
    lanes: store.pendingLanes(),
    next: store.nextOutgoing("telegram/-100"),
    work: store.keysWithWork(),
    workspace: store.keysInWorkspace("/work/a"),
  };
}

export function sessionContract(use: () => StoreUnderTest): void {
  test("has the initial facts for a key never seen", () => {
    const { store } = use();
    expect(store.facts(KEY)).toEqual(initialFacts("scripted"));
    expect(store.history(KEY)).toEqual([]);
    expect(store.session(KEY)).toBeNull();
    expect(store.keysWithWork()).toEqual([]);
  });

  test("folds what is written, returns it, and has the same after a restart", async () => {
    const { store, clock, restart } = use();
    store.ensureSession(KEY, CHAT);
    const first = store.write(KEY, only({ facts: [bound] }));
    expect(first).toEqual(foldFacts(initialFacts("scripted"), [bound]));
    clock.advance(1_000);
    const more = launch(1);
    const second = store.write(KEY, only({ facts: more }));
    expect(second).toEqual(foldFacts(first, more));

    const again = await restart();
    expect(again.session(KEY)).toEqual({ key: KEY, address: CHAT, facts: second });
    expect(again.history(KEY)).toEqual([
      { at: clock.now() - 1_000, fact: bound },
      ...more.map((fact) => ({ at: clock.now(), fact })),
    ]);
  });

  test("keeps an address known once it is ensured, any number of times", async () => {
    const { store, restart } = use();
    store.ensureSession(sessionKey(TOPIC), TOPIC);
    store.ensureSession(sessionKey(TOPIC), TOPIC);
    const again = await restart();
    expect(again.session(sessionKey(TOPIC))?.address).toEqual(TOPIC);
    expect(() => again.ensureSession(KEY, TOPIC)).toThrow(/telegram\/-100\/-/);
  });

  test("changes nothing when any part of a write is refused", async () => {
    const { store, restart } = use();
    store.intake("telegram", ACCOUNT, [messageItem(1), commandItem(2, "new")], 3);
    const before = visible(store);
    const [command] = store.pendingCommands();
    const id = store.facts(KEY).messages[0]?.id ?? 0;
    const good = only({
      facts: [bound, { type: "message.cancelled", id }, ...launch(1)],
      outgoing: [draft("told", "d1")],
      commandsDone: [command?.id ?? 0],
    });
    const unknownMessage: SessionFact = { type: "message.accepted", id: 99 };
    const unreadable: SessionFact = { type: "turn.completed", epoch: Number.NaN };

    const refused: readonly [string, Parameters<Store["write"]>[1]][] = [
      ["command 99", { ...good, commandsDone: [...good.commandsDone, 99] }],
      ["message 99", { ...good, facts: [...good.facts, unknownMessage] }],
      ["turn.completed", { ...good, facts: [...good.facts, unreadable] }],
    ];
    for (const [why, write] of refused) {
      expect(() => store.write(KEY, write)).toThrow(why);
      expect(visible(store)).toEqual(before);
    }
    expect(() => store.write(sessionKey(OTHER_CHAT), good)).toThrow(/telegram\/200\/-/);
    expect(visible(await restart())).toEqual(before);
  });

  test("refuses a fact about another session's message", () => {
    const { store } = use();
    const { messages } = store.intake("telegram", ACCOUNT, [messageItem(1)], 2);
    const [id, other] = [messages[0]?.id ?? 0, sessionKey(OTHER_CHAT)];
    store.ensureSession(other, OTHER_CHAT);
    expect(() => store.write(other, only({ facts: [{ type: "message.answered", id }] }))).toThrow(
      other,
    );
    expect(store.keysWithWork()).toEqual([KEY]);
  });

  test("writes facts, answer and the end of a command together", async () => {
    const { store, restart } = use();
    store.intake("telegram", ACCOUNT, [messageItem(1), commandItem(2, "new")], 3);
    const id = store.facts(KEY).messages[0]?.id ?? 0;
    const commandsDone = store.pendingCommands().map((one) => one.id);
    const facts: SessionFact[] = [{ type: "message.answered", id }];
    store.write(KEY, { facts, outgoing: [draft("the answer")], commandsDone });
    const again = await restart();
    expect(again.keysWithWork()).toEqual([]);
    expect(again.pendingCommands()).toEqual([]);
    expect(again.nextOutgoing("telegram/-100")?.text).toBe("the answer");
    expect(again.message(id)?.text).toBe("text 1");
  });

  test("lists a session as having work while a message is open or a launch has not exited", () => {
    const { store } = use();
    store.intake("telegram", ACCOUNT, [messageItem(1)], 2);
    const id = store.facts(KEY).messages[0]?.id ?? 0;
    const after = (...facts: SessionFact[]) => {
      store.write(KEY, only({ facts }));
      return store.keysWithWork();
    };
    expect(after({ type: "message.parked", id, reason: "quiet" })).toEqual([KEY]);
    expect(after(...launch(1))).toEqual([KEY]);
    expect(after({ type: "message.failed", id, reason: "skipped" })).toEqual([KEY]);
    expect(after({ type: "launch.exited", epoch: 1, crashedAt: null })).toEqual([]);
  });

  test("finds the sessions of a workspace, and forgets the one they left", async () => {
    const { store, restart } = use();
    const other = sessionKey(OTHER_CHAT);
    store.ensureSession(KEY, CHAT);
    store.ensureSession(other, OTHER_CHAT);
    store.write(KEY, only({ facts: [bound] }));
    store.write(other, only({ facts: [bound] }));
    expect(store.keysInWorkspace("/work/a")).toEqual([KEY, other]);
    store.write(KEY, only({ facts: [{ ...bound, path: "/work/b" }] }));
    const again = await restart();
    expect(again.keysInWorkspace("/work/a")).toEqual([other]);
    expect(again.keysInWorkspace("/work/b")).toEqual([KEY]);
    expect(again.keysInWorkspace("/work")).toEqual([]);
  });

  test("finds who knows an agent session by the beginning of its id, wildcards taken as they are", () => {
    const { store } = use();
    store.ensureSession(KEY, CHAT);
    const bound = {
      type: "agentSession.bound",
      agentSessionId: "abc-1",
      transcript: "/t/abc-1.jsonl",
      agentKind: "claude",
      model: null,
    } as const;
    store.write(KEY, only({ facts: [bound] }));
    for (const known of ["abc-1", "abc", "a"]) {
      expect(store.sessionsKnowing(known)).toMatchObject([
        { key: KEY, address: CHAT, facts: { bound: { agentSessionId: "abc-1" } } },
      ]);
    }
    for (const unknown of ["abc-12", "%", "_bc", "bc", "'"]) {
      expect(store.sessionsKnowing(unknown)).toEqual([]);
    }
  });

  test("tells the measured turns of all sessions in order, many of them, and nothing else", async () => {
    const { store, restart } = use();
    const other = sessionKey(OTHER_CHAT);
    store.ensureSession(KEY, CHAT);
    store.ensureSession(other, OTHER_CHAT);
    expect([...store.measuredTurns()]).toEqual([]);
    const turns = Array.from({ length: 1_203 }, (_, index) => measuredTurn(index));
    store.write(KEY, only({ facts: [bound, ...turns.slice(0, 500)] }));
    store.write(other, only({ facts: [...turns.slice(500, 1_000), bound] }));
    store.write(KEY, only({ facts: [...launch(1), ...turns.slice(1_000)] }));
    expect([...store.measuredTurns()]).toEqual(turns);
    expect([...(await restart()).measuredTurns()]).toEqual(turns);
  });

  test("takes writes while the measured turns are read, and may be left in the middle", () => {
    const { store } = use();
    store.ensureSession(KEY, CHAT);
    store.write(KEY, only({ facts: [measuredTurn(1), measuredTurn(2)] }));
    for (const turn of store.measuredTurns()) {
      expect(turn).toEqual(measuredTurn(1));
      store.write(KEY, only({ facts: [{ type: "turn.completed", epoch: 1 }] }));
      break;
    }
    expect(store.history(KEY)).toHaveLength(3);
  });

  test("folds the same from memory and from disk, whatever happened to the messages", async () => {
    const { store, restart } = use();
    const batch = [1, 2, 3].map((updateId) => messageItem(updateId));
    const ids = store.intake("telegram", ACCOUNT, batch, 4).messages.map((one) => one.id);
    let expected = store.facts(KEY);
    fc.assert(
      fc.property(fc.array(messageFact(ids), { maxLength: 6 }), (facts) => {
        expected = foldFacts(expected, facts);
        expect(store.write(KEY, only({ facts }))).toEqual(expected);
        expect(store.keysWithWork()).toEqual(expected.messages.length > 0 ? [KEY] : []);
      }),
      { numRuns: 30 },
    );
    expect((await restart()).facts(KEY)).toEqual(expected);
  });
}

export function launch(epoch: number): SessionFact[] {
  const [agentSessionId, transcript] = [`session-${epoch}`, `/transcripts/${epoch}.jsonl`];
  return [
    { type: "launch.intended", epoch, mode: "fresh", agentSessionId, transcript },
    { type: "launch.started", epoch, pid: 4_000 + epoch, startedAt: "12345" },
  ];
}

function measuredTurn(index: number): MeasuredTurn {
  return {
    type: "turn.measured",
    epoch: index,
    model: index % 3 === 0 ? null : `model-${index % 3}`,
    sdkPercent: index % 100,
    selfReportedPercent: index % 2 === 0 ? null : index % 90,
    inputTokens: index,
    outputTokens: null,
  };
}

function messageFact(ids: readonly number[]): fc.Arbitrary<SessionFact> {
  return fc.record({ id: fc.constantFrom(...ids), kind: fc.nat(6), uuid: fc.uuid() }).map((one) => {
    const { id, kind, uuid } = one;
    const facts: SessionFact[] = [
      { type: "message.given", id, epoch: 1, transcript: null },
      { type: "message.accepted", id },
      { type: "message.parked", id, reason: "cut-short" },
      { type: "message.requeued", id, uuid },
      { type: "message.answered", id },
      { type: "message.cancelled", id },
      { type: "message.received", id, uuid },
    ];
    return facts[kind] ?? { type: "message.failed", id, reason: "out of range" };
  });
}
