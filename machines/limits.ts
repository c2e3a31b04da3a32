/**
 * Every bound and delay of holdfast: name, unit, default and reason.
 * `HOLDFAST_LIMIT_<NAME>` sets one (src/config.ts); names ending in `Ms` are
 * milliseconds, `Bytes` bytes, everything else a count.
 */
export interface LimitSpec {
  readonly default: number;
  readonly min: number;
  readonly max: number;
  readonly why: string;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Node fires a longer timer at once (2^31 − 1 ms, about 24.8 days). */
export const TIMER_MAX_MS = 2_147_483_647;

const delay = (ms: number, why: string, min = 1): LimitSpec => ({
  default: ms,
  min,
  max: TIMER_MAX_MS,
  why,
});
const count = (n: number, why: string, min = 1, max = 1_000_000): LimitSpec => ({
  default: n,
  min,
  max,
  why,
});
const bytes = (n: number, why: string): LimitSpec => ({
  default: n,
  min: 1_024,
  max: 1_073_741_824,
  why,
});

export const LIMITS = {
  idleReapMs: delay(15 * MINUTE, "an idle agent process holds about 160 MB"),
  startMs: delay(60 * SECOND, "a start takes 0.4–1 s, up to 15 s on a busy two-core machine"),
  turnQuietMs: delay(
    10 * MINUTE,
    "the CLI itself is silent for up to 360 s when the API sends no headers",
  ),
  toolQuietMs: delay(30 * MINUTE, "a build or a test run inside one tool call prints nothing"),
  backgroundQuietMs: delay(60 * MINUTE, "a background task may legitimately outlast a tool call"),
  approvalMs: delay(24 * HOUR, "people answer from a phone, sometimes the next day"),
  interruptMs: delay(15 * SECOND, "an interrupt is answered within 40 ms by a healthy agent"),
  endGraceMs: delay(5 * SECOND, "time after end_session before SIGTERM"),
  termGraceMs: delay(5 * SECOND, "time after SIGTERM before SIGKILL"),
  drainMs: delay(10 * SECOND, "a shutdown lets a running turn finish for this long", 0),
  shutdownMs: delay(30 * SECOND, "the whole shutdown ends within this time"),
  leftoverBusyMs: delay(
    10 * MINUTE,
    "an agent of a previous run may finish its turn for this long",
    0,
  ),
  crashMax: count(3, "process deaths of one session within crashWindowMs before it fails"),
  crashWindowMs: delay(10 * MINUTE, "see crashMax"),
  faultMax: count(5, "actor faults of one session within faultWindowMs before it is given up"),
  faultWindowMs: delay(MINUTE, "see faultMax"),
  liveAgents: count(8, "agent processes alive at the same time, about 160 MB each", 1, 1_000),
  queueMax: count(500, "messages waiting in one session"),
  messageBytes: bytes(1_048_576, "a 2 MB prompt was accepted by the CLI; this leaves room"),
  fileBytes: bytes(20_971_520, "what Telegram lets a bot fetch; a larger file is not passed on"),
  lineBytes: bytes(8_388_608, "one line of agent output; longer lines are skipped"),
  stderrBytes: bytes(65_536, "kept for the diagnosis of a failed start"),
  pollTimeoutMs: delay(50 * SECOND, "the long poll's own time-out, sent to the Bot API", 0),
  pollAbortMs: delay(65 * SECOND, "covers a body that stalls after the headers"),
  burstMs: delay(SECOND, "the parts of an album or of forwarded messages come within a second"),
  pollBackoffMinMs: delay(SECOND, "first wait after a failed poll; doubles, with jitter"),
  pollBackoffMaxMs: delay(MINUTE, "longest wait after failed polls"),
  sendTimeoutMs: delay(30 * SECOND, "one call of the Bot API"),
  sendBackoffMinMs: delay(SECOND, "first wait after a failed send; doubles, with jitter"),
  sendBackoffMaxMs: delay(MINUTE, "longest wait after failed sends"),
  buttonMs: delay(7 * 24 * HOUR, "a button in a chat that was forgotten does nothing any more"),
  progressAfterMs: delay(
    2 * SECOND,
    "a turn that is over sooner needs no message that shows it",
    0,
  ),
  progressPrivateMs: delay(
    1_500,
    "edits 0.5 s apart earned a private chat a penalty of 126 s",
    500,
  ),
  progressGroupMs: delay(
    4 * SECOND,
    "a group takes about 20 messages a minute, edits included",
    500,
  ),
  typingMs: delay(4 * SECOND, "Telegram shows typing for about 5 s"),
} as const satisfies Record<string, LimitSpec>;

export type LimitName = keyof typeof LIMITS;
export type Limits = { readonly [Name in LimitName]: number };

export const DEFAULT_LIMITS = Object.fromEntries(
  Object.entries(LIMITS).map(([name, spec]) => [name, spec.default]),
) as Limits;

/** `idleReapMs` → `IDLE_REAP_MS`, the suffix of its environment variable. */
export function limitEnvName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}
