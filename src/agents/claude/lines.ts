const NEWLINE = 0x0a;

export interface LineSplitter {
  push(chunk: Buffer): void;
  /** What follows the last newline is a line as well. */
  end(): void;
}

/**
 * Cuts a byte stream into lines. At most `maxBytes` of one line are kept: a
 * longer line is dropped while it passes and reported with its length.
 */
export function createLineSplitter(
  maxBytes: number,
  onLine: (line: string) => void,
  onSkipped: (bytes: number) => void,
): LineSplitter {
  let kept: Buffer[] = [];
  let length = 0;

  function append(part: Buffer): void {
    length += part.length;
    if (length > maxBytes) kept = [];
    else if (part.length > 0) kept.push(part);
  }

  function finish(): void {
    if (length > maxBytes) onSkipped(length);
    // Joined before decoding: a character may be cut between two chunks.
    else if (length > 0) onLine(Buffer.concat(kept, length).toString("utf8"));
    kept = [];
    length = 0;
  }

  return {
    push(chunk) {
      let start = 0;
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, start)) {
        append(chunk.subarray(start, at));
        finish();
        start = at + 1;
      }
      append(chunk.subarray(start));
    },
    end: finish,
  };
}

export interface TailBuffer {
  push(chunk: Buffer): void;
  text(): string;
}

/** Keeps the last `maxBytes` of a stream. */
export function createTailBuffer(maxBytes: number): TailBuffer {
  let tail: Buffer = Buffer.alloc(0);
  return {
    push(chunk) {
      tail = Buffer.concat([tail, chunk]).subarray(-maxBytes);
    },
    text: () => tail.toString("utf8"),
  };
}
