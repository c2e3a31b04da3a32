import { describe, expect, it } from "vitest";
import { chartOf, MACHINE_NAMES } from "../../../src/inspector/chart/chart-of.ts";
import { statesIn } from "../../../src/inspector/chart/walk-chart.ts";
import { readDocument } from "../../docs/markdown.ts";

/** The start tags of an XML text, each with its attributes; an error where they do not nest. */
function tagsOf(text: string): readonly { name: string; attributes: Map<string, string> }[] {
  const open: string[] = [];
  const tags: { name: string; attributes: Map<string, string> }[] = [];
  const between = text.replaceAll(
    /<(\/?)(\w+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/g,
    (_all, closing: string, name: string, rest: string, empty: string) => {
      if (closing === "/") {
        if (open.pop() !== name) throw new Error(`</${name}> closes nothing`);
        return "";
      }
      const pairs = [...rest.matchAll(/([\w:-]+)="([^"]*)"/g)];
      tags.push({ name, attributes: new Map(pairs.map((one) => [one[1] ?? "", one[2] ?? ""])) });
      if (empty === "") open.push(name);
      return "";
    },
  );
  if (open.length > 0) throw new Error(`<${open.join("><")}> stays open`);
  if (/<|&(?!amp;|lt;|gt;|quot;)/.test(between)) throw new Error("Something is not escaped");
  return tags;
}

const unescaped = (text: string): string => text.replaceAll("&gt;", ">");

describe.each(MACHINE_NAMES)("the SVG of the %s machine", (name) => {
  const chart = chartOf(name);
  const tags = tagsOf(readDocument(`docs/machines/${name}.svg`).text);
  const values = (attribute: string): readonly string[] =>
    tags.flatMap(({ attributes }) => attributes.get(attribute) ?? []).map(unescaped);

  it("has a group for every state, by its id", () => {
    const states = chart.root.states.flatMap(statesIn).map(({ id }) => id);
    expect(values("id")).toEqual(expect.arrayContaining(states));
    expect(new Set(values("id")).size).toBe(values("id").length);
  });

  it("has every transition on a line, in a state or in the caption", () => {
    const found = new Set(values("data-transitions").flatMap((ids) => ids.split(" ")));
    expect([...found].toSorted()).toEqual(chart.transitions.map(({ id }) => id).toSorted());
  });

  it("gives every text its width, so that no other font makes it longer", () => {
    const texts = tags.filter(({ name: tag }) => tag === "text");
    expect(texts.length).toBeGreaterThan(5);
    expect(texts.filter(({ attributes }) => !(Number(attributes.get("textLength")) > 0))).toEqual(
      [],
    );
  });

  it("leaves colours to variables, which a dark system sets anew", () => {
    expect(values("fill")).toEqual([]);
    expect(values("stroke")).toEqual([]);
    const { text } = readDocument(`docs/machines/${name}.svg`);
    const [light = "", dark = ""] = text.split("@media (prefers-color-scheme: dark)");
    const variables = (style: string) => new Set(style.match(/--chart-\w+(?=:)/g));
    expect(variables(light).size).toBeGreaterThan(0);
    expect(variables(dark)).toEqual(variables(light));
    const used = new Set([...dark.matchAll(/var\((--chart-\w+)\)/g)].map((one) => one[1]));
    expect(used).toEqual(variables(light));
  });
});
