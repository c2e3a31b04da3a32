export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The text without these parts of it, and without the empty lines and blanks that they would leave. */
export function takeOut(text: string, reports: readonly Span[]): string {
  const [first, last] = [reports[0], reports.at(-1)];
  if (first === undefined || last === undefined) return text;
  // Of a long text only the lines with reports and those beside them need to be looked at.
  const before = text.slice(0, text.lastIndexOf("\n", first.start) + 1).trimEnd().length;
  const from = before === 0 ? 0 : text.lastIndexOf("\n", before - 1) + 1;
  const behind = text.slice(last.end).search(/\S/);
  const end = behind < 0 ? -1 : text.indexOf("\n", last.end + behind);
  const to = end < 0 ? text.length : end;
  return text.slice(0, from) + withoutReports(text.slice(from, to), from, reports) + text.slice(to);
}

/** The lines without the reports in them; `offset` is where they begin in the text. */
function withoutReports(text: string, offset: number, reports: readonly Span[]): string {
  const kept: string[] = [];
  let [start, next] = [offset, 0];
  // A line that held nothing else is gone: no second empty line may be left where it stood.
  let gap = false;
  let endsInReport = false;
  for (const line of text.split("\n")) {
    const first = next;
    while ((reports[next]?.start ?? Infinity) <= start + line.length) next += 1;
    const stripped = stripLine(line, start, reports.slice(first, next));
    start += line.length + 1;
    const empty = stripped.trim() === "";
    if (next > first && empty) {
      gap = true;
      endsInReport = true;
      while (isEmpty(kept.at(-1)) && isEmpty(kept.at(-2)) && kept.length > 0) kept.pop();
    } else if (!empty) {
      gap = false;
      endsInReport = reports[next - 1]?.end === start - 1 - trailing(line);
      kept.push(stripped);
    } else if (!gap || !isEmpty(kept.at(-1))) kept.push(stripped);
  }
  const rest = kept.join("\n");
  return endsInReport ? rest.trimEnd() : rest;
}

/** Leaves one blank where there was one on either side, and none at the line's ends. */
function stripLine(line: string, offset: number, reports: readonly Span[]): string {
  if (reports.length === 0) return line;
  const pieces: string[] = [];
  let from = 0;
  let begun = false;
  for (const report of reports) {
    const before = line.slice(from, report.start - offset);
    from = report.end - offset;
    begun ||= before.trim() !== "";
    const blankFollows = isBlank(line.charAt(from)) || from === line.length;
    pieces.push(before);
    if (begun && blankFollows) trimLast(pieces);
    // At the line's beginning its indentation stays.
    while (!begun && isBlank(line.charAt(from))) from += 1;
  }
  const rest = line.slice(from);
  return rest.trim() === "" ? pieces.join("").trimEnd() : pieces.join("") + rest;
}

function trimLast(pieces: string[]): void {
  while (pieces.length > 0) {
    const last = pieces.pop()?.trimEnd() ?? "";
    if (last !== "") return void pieces.push(last);
  }
}

const isBlank = (character: string): boolean => /^[ \t\r]$/.test(character);
const isEmpty = (line: string | undefined): boolean => (line ?? "").trim() === "";
const trailing = (line: string): number => line.length - line.trimEnd().length;
