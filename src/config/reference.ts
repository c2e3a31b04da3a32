import { LIMITS } from "../../machines/limits.ts";
import { LIMIT_NAMES, LIMIT_SETTINGS, SETTINGS, unitOf } from "./settings.ts";
import type { Setting } from "./settings.ts";

/** docs/configuration.md as it must be: the settings are the one source of it. */
export function renderReference(): string {
  return `${INTRODUCTION}
## Settings

${table(
  ["Key", "Variable", "Default", "Allowed", "Meaning"],
  Object.values(SETTINGS).map((setting: Setting) => [
    `\`${setting.key}\``,
    `\`${setting.env}\``,
    setting.fallback,
    setting.allowed,
    setting.meaning,
  ]),
)}

${NOTES}
## Limits

Every bound and delay can be set. Times are in milliseconds, sizes in bytes, everything else is
a count.

${table(
  ["Key", "Variable", "Default", "From", "To", "Why"],
  LIMIT_NAMES.map((name) => [
    `\`${LIMIT_SETTINGS[name].key}\``,
    `\`${LIMIT_SETTINGS[name].env}\``,
    `${LIMITS[name].default}${unitOf(name)}${spoken(LIMITS[name].default, unitOf(name))}`,
    String(LIMITS[name].min),
    String(LIMITS[name].max),
    LIMITS[name].why,
  ]),
)}
`;
}

const INTRODUCTION = `# Configuration

<!-- Written by \`npm run docs\` from the settings' definitions. Edit those. -->

Holdfast reads \`holdfast.toml\` and the environment; a variable wins over the file. The file is
the one that \`--config\` or \`HOLDFAST_CONFIG\` names, else \`holdfast.toml\` in the directory the
service is started in, if there is one. \`holdfast.toml.example\` shows every key.

Everything is checked before the service starts. All problems are reported at once, each with the
place it comes from, the value, what is allowed and what to do; unknown keys and unknown
\`HOLDFAST_…\` variables are refused, with the name that was probably meant. The values of secrets
are never shown.

A Telegram bot needs three settings: \`TELEGRAM_BOT_TOKEN\`, \`HOLDFAST_ALLOWED_USERS\` and
\`HOLDFAST_WORKSPACE\`. Without a token the service opens a chat in the terminal.
`;

const NOTES = `Lists are arrays in the file. In a variable, users and commands are separated by commas and
workspace roots by colons, as in \`PATH\`. Paths may begin with \`~\`; relative ones start from the
file's directory, or for a variable from the directory the service is started in. A variable that
is set but empty is a mistake, save for the two lists separated by commas.

Agents inherit the service's environment, what they log in with included, but without
\`TELEGRAM_BOT_TOKEN\`.
`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** ` (15 min)`, where milliseconds or bytes are hard to read. */
function spoken(value: number, unit: string): string {
  const scales =
    unit === " ms"
      ? ([
          [3_600_000, "h"],
          [60_000, "min"],
          [1_000, "s"],
        ] as const)
      : unit === " bytes"
        ? ([
            [1_048_576, "MiB"],
            [1_024, "KiB"],
          ] as const)
        : [];
  const scale = scales.find(([size]) => value >= size && value % size === 0);
  return scale === undefined ? "" : ` (${value / scale[0]} ${scale[1]})`;
}

/** holdfast.toml.example as it must be: every key, commented out. */
export function renderExample(): string {
  const all: readonly Setting[] = [
    ...Object.values(SETTINGS),
    ...LIMIT_NAMES.map((name) => LIMIT_SETTINGS[name]),
  ];
  const lines = [
    "# Copy this file to holdfast.toml and remove the # before what you set.",
    "# docs/configuration.md explains every key; a variable of the environment wins.",
  ];
  let current = "";
  for (const setting of all) {
    const [tableName = "", key] = setting.key.split(".");
    if (key !== undefined && tableName !== current) {
      current = tableName;
      lines.push("", `[${tableName}]`);
    }
    lines.push(`#${key ?? tableName} = ${setting.example}`);
  }
  return `${lines.join("\n")}\n`;
}
