import type { ContextSize, AgentEvent } from "../../machines/vocabulary.ts";
import type { Limits } from "../../machines/limits.ts";
import {
  draftIsDue,
  followProgress,
  newProgress,
  nextShown,
  waitFor,
  type Changed,
  type Progress,
  type ShownDraft,
} from "../../machines/progress.ts";
import type { SessionPhase } from "../../machines/session-types.ts";
import type { Logger } from "../log.ts";
import type { Address, Button, Channel, Clock, SessionKey, Store } from "../ports.ts";
import { progressOver, progressView, type Verbosity } from "../words/progress-view.ts";
import type { Wording } from "../words/wording.ts";
import type { Words } from "../words/words.ts";

export interface ProgressOptions {
  readonly channel: Channel;
  readonly store: Pick<
    Store,
    "session" | "beginProgress" | "noteProgress" | "endProgress" | "leftProgress"
  >;
  readonly limits: Pick<Limits, "progressAfterMs">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly words: Pick<Words, "progress" | "units" | "buttons">;
}

/** One message for each running turn, changed in place: what the agent does, for how long, and a button that stops it. */
export interface ProgressMessages {
  observe(key: SessionKey, event: AgentEvent): void;
  phaseChanged(key: SessionKey, phase: SessionPhase | null): void;
  /** Closes the messages of turns that a crash of the service has left. */
  closeLeft(): Promise<void>;
  stop(): void;
}

interface Shown {
  readonly address: Address;
  readonly level: Verbosity;
  progress: Progress;
  nonce: string | null;
  messageId: string | null;
  text: string | null;
  /** Where the text grows; null where it grows in the message. */
  drafts: { readonly id: number; shown: ShownDraft | null } | null;
  last: keyof Changed | null;
  shownAt: number | null;
  closedUntil: number | null;
  timer: unknown;
  sending: boolean;
  /** `done`: the turn has come to its end; `cut`: it was stopped, failed or was lost with its agent. */
  over: "done" | "cut" | null;
  /** A message that the platform refuses is not tried again in this turn. */
  givenUp: boolean;
}

/** Turns that came to the end that was wanted of them. */
const FULL: ReadonlySet<string> = new Set(["completed", "local"]);

/** Tries to close a message; what is left open is closed at the next start. */
const CLOSING_TRIES = 5;

export function createProgress(options: ProgressOptions): ProgressMessages {
  const { channel, clock, store, log, words } = options;
  const turns = new Map<SessionKey, Shown>();
  /** A turn that was left by a crash has no draft for long: ids need to differ in one run only. */
  let nextDraftId = 0;
  const everyMs = (address: Address) => channel.progressEveryMs?.(address) ?? null;

  function begin(key: SessionKey): void {
    const session = store.session(key);
    const level = levelOf(session?.facts.choices.verbose);
    if (session === null || level === "0" || everyMs(session.address) === null) return;
    const shown = newShown(session.address, level, clock.now(), session.facts.context);
    if (level === "2" && channel.showDraft !== undefined) {
      shown.drafts = { id: (nextDraftId += 1), shown: null };
    }
    turns.set(key, shown);
    schedule(key, shown);
  }

  function schedule(key: SessionKey, shown: Shown): void {
    if (shown.sending || shown.givenUp || shown.timer !== null) return;
    const { progress, shownAt, closedUntil, address } = shown;
    const pacing = {
      now: clock.now(),
      startedAt: progress.startedAt,
      firstAfterMs: options.limits.progressAfterMs,
      everyMs: everyMs(address) ?? 0,
      shownAt,
      closedUntil,
    };
    shown.timer = clock.setTimeout(() => {
      shown.timer = null;
      void show(key, shown).catch((error: unknown) => log.warn({ error }, "progress.failed"));
    }, waitFor(pacing));
  }

  async function show(key: SessionKey, shown: Shown): Promise<void> {
    if (shown.over !== null) return;
    const { progress, drafts } = shown;
    const now = clock.now();
    const text = progressView(words, progress, drafts === null ? shown.level : "1", now);
    const draft = drafts !== null && draftIsDue(drafts.shown, progress.text, now);
    shown.last = nextShown({ message: text !== shown.text, draft }, shown.last);
    if (shown.last === "message") await showMessage(key, shown, text);
    else if (shown.last === "draft") await showDraft(shown);
    else shown.shownAt = now;
    if (shown.over !== null) return close(key, shown);
    schedule(key, shown);
  }

  async function showMessage(key: SessionKey, shown: Shown, text: Wording): Promise<void> {
    shown.nonce ??= store.beginProgress(key);
    await send(key, shown, text, [[{ label: words.buttons.stop, nonce: shown.nonce }]]);
  }

  async function showDraft(shown: Shown): Promise<void> {
    const { drafts, address } = shown;
    if (drafts === null) return;
    const { text } = shown.progress;
    shown.sending = true;
    const result = await channel.showDraft?.(address, { id: drafts.id, text });
    shown.sending = false;
    shown.shownAt = clock.now();
    if (result === "shown") drafts.shown = { text, at: clock.now() };
    else if (result !== "later") shown.drafts = null;
  }

  /** False where it was not shown. */
  async function send(
    key: SessionKey,
    shown: Shown,
    text: Wording,
    buttons: readonly (readonly Button[])[],
  ): Promise<boolean> {
    shown.sending = true;
    const result = await sendOne(channel, shown.address, text, buttons, shown.messageId);
    shown.sending = false;
    shown.shownAt = clock.now();
    switch (result.outcome) {
      case "sent":
        if (shown.messageId !== result.platformMessageId) {
          shown.messageId = result.platformMessageId;
          store.noteProgress(key, result.platformMessageId);
        }
        shown.text = text;
        return true;
      case "gated":
        shown.closedUntil = clock.now() + result.retryAfterMs;
        return false;
      case "retry":
        return false;
      default:
        // May be there already, or is not wanted: a second one would be noise.
        shown.givenUp = true;
        return false;
    }
  }

  async function close(key: SessionKey, shown: Shown): Promise<void> {
    const text = progressOver(words, shown.progress, shown.over === "done", clock.now());
    for (let tries = 0; shown.messageId !== null && tries < CLOSING_TRIES; tries += 1) {
      if (await send(key, shown, text, [])) break;
      if (shown.givenUp) break;
      await new Promise<void>((resolve) => {
        const wait = Math.max(1_000, (shown.closedUntil ?? 0) - clock.now());
        clock.setTimeout(() => resolve(), wait);
      });
    }
    // A turn that began meanwhile has a message of its own.
    if (shown.nonce !== null && turns.get(key) === undefined) store.endProgress(key);
  }

  function end(key: SessionKey, how: "done" | "cut"): void {
    const shown = turns.get(key);
    if (shown === undefined) return;
    turns.delete(key);
    shown.over = how;
    if (shown.timer !== null) clock.clearTimeout(shown.timer);
    // What is being sent is closed when it has arrived.
    if (!shown.sending) {
      void close(key, shown).catch((error: unknown) => log.warn({ error }, "progress.failed"));
    }
  }

  return {
    observe(key, event) {
      const shown = turns.get(key);
      if (shown === undefined) return;
      if (event.type === "turn.ended") return end(key, FULL.has(event.outcome) ? "done" : "cut");
      shown.progress = followProgress(shown.progress, event);
    },
    phaseChanged(key, phase) {
      const shown = turns.get(key);
      if (phase === "busy" || phase === "waiting") {
        if (shown === undefined) return phase === "busy" ? begin(key) : undefined;
        shown.progress = { ...shown.progress, waiting: phase === "waiting" };
        return;
      }
      end(key, "cut");
    },
    async closeLeft() {
      for (const { key, address, platformMessageId } of store.leftProgress()) {
        if (address.channel !== channel.name) continue;
        if (platformMessageId !== null) {
          await sendOne(channel, address, words.progress.left, [], platformMessageId);
        }
        if (turns.get(key) === undefined) store.endProgress(key);
      }
    },
    stop() {
      for (const shown of turns.values()) {
        shown.over = "cut";
        if (shown.timer !== null) clock.clearTimeout(shown.timer);
      }
      turns.clear();
    },
  };
}

function newShown(
  address: Address,
  level: Verbosity,
  now: number,
  context: ContextSize | null,
): Shown {
  return {
    address,
    level,
    progress: newProgress(now, context),
    nonce: null,
    messageId: null,
    text: null,
    drafts: null,
    last: null,
    shownAt: null,
    closedUntil: null,
    timer: null,
    sending: false,
    over: null,
    givenUp: false,
  };
}

function levelOf(chosen: string | undefined): Verbosity {
  return chosen === "0" || chosen === "1" ? chosen : "2";
}

async function sendOne(
  channel: Channel,
  address: Address,
  text: Wording,
  buttons: readonly (readonly Button[])[],
  editOf: string | null,
) {
  const edit = editOf === null ? {} : { editOf };
  const outgoing = { id: 0, address, text, footer: null, replyTo: null, buttons, ...edit };
  const [part] = channel.render(outgoing);
  if (part === undefined) return { outcome: "dropped", detail: "nothing to show" } as const;
  return channel.send(outgoing, part);
}
