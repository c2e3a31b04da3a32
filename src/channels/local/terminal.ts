import { clearScreenDown, cursorTo, moveCursor } from "node:readline";
import { createInterface } from "node:readline/promises";
import type { Wording } from "../../words/wording.ts";

/** end: the input is over (Ctrl-D, a closed pipe); interrupt: Ctrl-C; exit: `/exit` or `/quit` was typed. */
export type CloseReason = "end" | "interrupt" | "exit";

export interface TerminalOptions {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly prompt: Wording;
  /** A typed line, as it is; empty ones are not told. */
  onLine(text: string): void;
  /** Once, after the last line. The terminal is in its normal mode again, so a second Ctrl-C is a signal. */
  onClose(reason: CloseReason): void;
  /** Lines to recall with the arrow keys, the newest first. */
  readonly history?: readonly string[];
  /** The terminal cannot move its cursor (`TERM=dumb`): lines are read and written as on pipes. */
  readonly plain?: boolean;
}

export interface TerminalChat {
  /** Shows a text above the line being typed; also after `close`. Never throws. */
  print(text: string): void;
  /** Idempotent. */
  close(): void;
}

const LEAVING = new Set(["/exit", "/quit"]);

/** A chat in the terminal. Without a terminal on both sides it reads lines and shows no prompt. */
export function openTerminalChat(options: TerminalOptions): TerminalChat {
  const { input, output } = options;
  const interactive = input.isTTY === true && output.isTTY === true && options.plain !== true;
  const lines = createInterface({
    input,
    output,
    terminal: interactive,
    prompt: interactive ? options.prompt : "",
    history: [...(options.history ?? [])],
    removeHistoryDuplicates: true,
  });
  let reason: CloseReason = "end";
  let open = true;

  const close = (why: CloseReason): void => {
    if (!open) return;
    reason = why;
    lines.close();
  };

  lines.on("line", (line) => {
    // Lines of one chunk still come after a close; nobody would wait for their answers.
    if (!open) return;
    const typed = line.trim();
    // The agent's own commands for leaving cannot mean anything else in a terminal.
    if (LEAVING.has(typed.toLowerCase())) return close("exit");
    if (typed !== "") options.onLine(line);
    if (open && interactive) lines.prompt();
  });
  lines.on("SIGINT", () => close("interrupt"));
  lines.on("close", () => {
    open = false;
    if (interactive) output.write("\n");
    options.onClose(reason);
  });
  // A reader that went away (`| head`) is the end of the chat, not a crash of the service.
  output.on("error", () => close("end"));
  if (interactive) lines.prompt();

  return {
    print(text) {
      if (!open || !interactive) {
        output.write(`${text}\n`);
        return;
      }
      const { rows } = lines.getCursorPos();
      moveCursor(output, 0, -rows);
      cursorTo(output, 0);
      clearScreenDown(output);
      output.write(`${text}\n${"\n".repeat(rowsRedrawnAbove(lines, rows))}`);
      lines.prompt(true);
    },
    close: () => close("end"),
  };
}

/**
 * Readline redraws from where it believes the line's first row to be, and after a
 * paste it is behind. The field is documented nowhere (seen in Node 20.20).
 */
function rowsRedrawnAbove(lines: object, rows: number): number {
  const believed: unknown = Reflect.get(lines, "prevRows");
  return typeof believed === "number" ? believed : rows;
}
