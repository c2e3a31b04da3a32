import { Writable } from "node:stream";

const ESCAPE = "\u001b";
const SEQUENCE = new RegExp(`${ESCAPE}\\[[0-9;?]*[A-Za-z]|[\\s\\S]`, "g");

/** As much of a terminal as readline drives: text, line feeds and cursor movements, with wrapping. */
export class Screen extends Writable {
  readonly isTTY = true;
  readonly columns: number;
  #rows: string[] = [""];
  #row = 0;
  #column = 0;

  constructor(columns: number) {
    super({ decodeStrings: false });
    this.columns = columns;
  }

  /** What is to be seen, without trailing spaces and empty rows at the end. */
  shown(): readonly string[] {
    const rows = this.#rows.map((row) => row.trimEnd());
    while (rows.at(-1) === "") rows.pop();
    return rows;
  }

  override _write(chunk: string | Buffer, _encoding: string, done: () => void): void {
    for (const [token] of chunk.toString().matchAll(SEQUENCE)) {
      if (token.startsWith(ESCAPE)) this.#control(token);
      else this.#put(token);
    }
    done();
  }

  #put(character: string): void {
    if (character === "\r") this.#column = 0;
    else if (character === "\n") this.#down(true);
    else {
      if (this.#column === this.columns) this.#down(true);
      const row = (this.#rows[this.#row] ?? "").padEnd(this.#column);
      this.#rows[this.#row] = row.slice(0, this.#column) + character + row.slice(this.#column + 1);
      this.#column += 1;
    }
  }

  /** A terminal in its normal mode returns the carriage with a line feed; readline counts on it. */
  #down(toStart: boolean): void {
    this.#row += 1;
    if (toStart) this.#column = 0;
    while (this.#rows.length <= this.#row) this.#rows.push("");
  }

  #control(sequence: string): void {
    const count = Number(/\d+/.exec(sequence)?.[0] ?? 1);
    switch (sequence.at(-1)) {
      case "A":
        this.#row = Math.max(0, this.#row - count);
        return;
      case "B":
        this.#row += count;
        return;
      case "C":
        this.#column += count;
        return;
      case "D":
        this.#column = Math.max(0, this.#column - count);
        return;
      case "G":
        this.#column = count - 1;
        return;
      case "J":
        this.#rows = this.#rows.slice(0, this.#row + 1);
        this.#clearRight();
        return;
      case "K":
        this.#clearRight();
        return;
      default:
        throw new Error(`the screen does not know ${JSON.stringify(sequence)}`);
    }
  }

  #clearRight(): void {
    this.#rows[this.#row] = (this.#rows[this.#row] ?? "").slice(0, this.#column);
  }
}
