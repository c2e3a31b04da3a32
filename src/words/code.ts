import { excerpt } from "../excerpt.ts";

/** Longest piece of somebody else's error that is shown in a notice. */
const DETAIL_MAX = 300;

/** Shown as it is, whatever characters it holds. */
export function code(text: string): string {
  return `\`${text.replaceAll("`", "'")}\``;
}

/** Of an error of several lines the last one that says something, cut to what a notice bears. */
export function lastLine(detail: string): string {
  const lines = detail.split("\n").map((line) => line.trim());
  const line = lines.filter((one) => one !== "").at(-1) ?? "";
  return excerpt(line, DETAIL_MAX);
}
