import type { Writable } from "node:stream";

/** The agent's side of the protocol: one JSON object a line. */
export interface Output {
  line(value: object): void;
  /** A line that is no JSON, of so many bytes, without holding it in memory. */
  garbage(bytes: number): Promise<void>;
  /** Resolves when everything so far is with the system: only then may the process end. */
  flush(): Promise<void>;
}

const CHUNK_BYTES = 65_536;

export function createOutput(stream: Writable): Output {
  // Whoever listened is gone: a running turn goes on for the transcript, as the real agent's does.
  stream.on("error", () => undefined);
  const write = (text: string): Promise<void> =>
    new Promise((resolve) => {
      stream.write(text, () => {
        resolve();
      });
    });
  return {
    line: (value) => void stream.write(`${JSON.stringify(value)}\n`),
    async garbage(bytes) {
      for (let left = bytes; left > 0; left -= CHUNK_BYTES) {
        await write("x".repeat(Math.min(left, CHUNK_BYTES)));
      }
      await write("\n");
    },
    flush: () => write(""),
  };
}
