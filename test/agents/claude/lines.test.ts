import { describe, expect, it } from "vitest";
import { createLineSplitter, createTailBuffer } from "../../../src/agents/claude/lines.ts";

function split(maxBytes: number, chunks: readonly (string | Buffer)[]) {
  const lines: string[] = [];
  const skipped: number[] = [];
  const splitter = createLineSplitter(
    maxBytes,
    (line) => lines.push(line),
    (bytes) => skipped.push(bytes),
  );
  for (const chunk of chunks) splitter.push(Buffer.from(chunk));
  splitter.end();
  return { lines, skipped };
}

describe("splitting lines", () => {
  it("joins a line that comes in pieces and passes over empty ones", () => {
    const { lines } = split(100, ["one\ntw", "o\n\n", "\nthree", ""]);
    expect(lines).toEqual(["one", "two", "three"]);
  });

  it("decodes a character that is cut between two chunks", () => {
    const bytes = Buffer.from("häuser 🏠\n");
    const chunks = [...bytes].map((byte) => Buffer.from([byte]));
    expect(split(100, chunks).lines).toEqual(["häuser 🏠"]);
  });

  it("skips a line over the limit, whole, and reads the next", () => {
    const { lines, skipped } = split(5, ["12345\n123", "456\nend\n", "toolong"]);
    expect(lines).toEqual(["12345", "end"]);
    expect(skipped).toEqual([6, 7]);
  });

  it("grows by less than 64 MB while a line of 200 MB passes", () => {
    const splitter = createLineSplitter(
      8_388_608,
      () => undefined,
      () => undefined,
    );
    const memory = (): number => process.memoryUsage().rss;
    const before = memory();
    let peak = before;
    for (let sent = 0; sent < 200 * 1_048_576; sent += 65_536) {
      splitter.push(Buffer.alloc(65_536, 0x61));
      peak = Math.max(peak, memory());
    }
    splitter.push(Buffer.from("\n"));
    expect((peak - before) / 1_048_576).toBeLessThan(64);
  });
});

describe("keeping the tail", () => {
  it("holds the last bytes only", () => {
    const tail = createTailBuffer(6);
    for (const text of ["first ", "second ", "third"]) tail.push(Buffer.from(text));
    expect(tail.text()).toBe(" third");
  });
});
