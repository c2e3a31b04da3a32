import type { Wording } from "../../src/words/wording.ts";
import type { Words } from "../../src/words/words.ts";

/** Every text of a language, those that take something with what they are tried with. */

type Texts = Omit<Words, "notice">;

type Tried = {
  readonly [Topic in keyof Texts]: {
    readonly [
      Name in keyof Texts[Topic] as Texts[Topic][Name] extends (...args: never[]) => Wording
        ? Name
        : never
    ]: Texts[Topic][Name] extends (...args: infer Args) => Wording ? readonly Args[] : never;
  };
};

const ID = "5d2c8f6e-0001";

/** One that is missing does not compile. */
const TRIED: Tried = {
  commands: { refused: [["login"]], adminsOnly: [["new"]], failed: [["new"]] },
  messages: {
    unsupported: [["voice"], ["other"]],
    tooLong: [[1_048_576]],
    queueFull: [[500]],
  },
  answers: {
    partial: [["So far"]],
    relayed: [
      ["make has ended", "all green"],
      ["", "all green"],
      [null, "all green"],
    ],
    refusedByPlatform: [["400: Bad Request: `x`\n"]],
  },
  files: {
    cameWith: [["voice"]],
    tooBig: [["a.bin", 20_971_520]],
    failed: [["a.bin"]],
  },
  conversations: {
    moreById: [[2]],
    moreByResume: [[2]],
    turns: [[0], [1], [2]],
    ago: [["2 h"]],
    unknown: [["abc"]],
    current: [[ID]],
    ambiguous: [["5d", [ID, "5d2c8f6e-0002"]]],
    held: [
      [ID, "chat"],
      [ID, "topic"],
    ],
    leaving: [[ID]],
  },
  workspaces: {
    current: [["/work/project", ["/work"]]],
    shared: [["/work/project"]],
    refused: [
      ["workspace-outside-roots", "x"],
      ["workspace-missing", "x"],
      ["workspace-not-a-directory", "x"],
      ["workspace-unreadable", "x"],
    ],
    inside: [["/work"]],
    newFolder: [["/work"]],
  },
  choices: {
    ask: (["model", "mode", "effort", "verbose"] as const).flatMap((choice) => [
      [choice, null, true] as const,
      [choice, "one", false] as const,
    ]),
    unknown: [
      ["model", "x", []],
      ["mode", "x", ["plan", "default"]],
    ],
  },
  status: {
    failed: [["not-logged-in"]],
    workspace: [["/work/project"]],
    agent: [
      ["claude", null],
      ["claude", ID],
    ],
    model: [[null], ["opus"]],
    context: [[null], [62]],
    queue: [[0]],
    running: [["“hello”"]],
    parked: [[2, "“hello”"]],
  },
  approvals: {
    needed: [["Bash"]],
    sent: [["Allowed"]],
    alwaysAllowed: [["npm test"]],
    allowances: [
      [[{ what: { kind: "mode", mode: "plan" }, where: "session" }]],
      [[{ what: { kind: "folders", paths: ["/srv"] }, where: "everybody" }]],
    ],
    denied: [[""], ["not now"]],
  },
  progress: {
    over: [
      [true, "8 s", 0],
      [true, "8 s", 1],
      [false, "8 s", 2],
    ],
  },
  buttons: { always: [["npm test"]] },
  presses: {},
  units: {
    duration: [[8_000]],
    age: [[0]],
    size: [[950]],
    cost: [[0.03]],
    quoted: [["hello"]],
  },
  terminal: { logAt: [["/x/log"]], demoAgent: [["not found"]] },
};

/** Values that were left out, traces of a join, and a session's key as src/sessions/session-key.ts makes it. */
export const NOT_FOR_PEOPLE =
  /undefined|null|NaN|\[object|\$\{|: \.|\.\.| {2}|``|\b(?:telegram|local)\/-?\w+\//;

export interface Text {
  readonly topic: string;
  readonly name: string;
  readonly text: string;
}

export function everyText(words: Words): readonly Text[] {
  return Object.keys(TRIED).flatMap((topic) => textsIn(topic, topic, Reflect.get(words, topic)));
}

function textsIn(topic: string, path: string, value: unknown): readonly Text[] {
  if (typeof value === "string") return [{ topic, name: path, text: value }];
  if (typeof value === "function") {
    const calls: unknown = path
      .split(".")
      .reduce<unknown>((at, key) => Reflect.get(at as object, key), TRIED);
    return (calls as readonly (readonly unknown[])[]).map((args) => ({
      topic,
      name: `${path}(${args.map((one) => JSON.stringify(one)).join(", ")})`,
      text: String(Reflect.apply(value, undefined, args)),
    }));
  }
  return Object.entries(value as object).flatMap(([key, inner]) =>
    textsIn(topic, `${path}.${key}`, inner),
  );
}
