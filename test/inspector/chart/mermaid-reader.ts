export interface MermaidDiagram {
  /** By id: the name, and the state around it; null at the top. */
  readonly states: ReadonlyMap<string, { readonly name: string; readonly around: string | null }>;
  readonly lines: readonly MermaidLine[];
}

export interface MermaidLine {
  readonly from: string;
  readonly to: string;
  readonly label: string | null;
  /** The state between whose braces it stands; null at the top. */
  readonly around: string | null;
}

/**
 * The part of stateDiagram-v2 that holdfast writes, and nothing else: a row that
 * Mermaid would read otherwise, or not at all, is an error.
 */
export function readMermaid(text: string): MermaidDiagram {
  const [head, ...rows] = text.split("\n");
  if (head !== "stateDiagram-v2") throw new Error(`Not a state diagram: ${head}`);
  const names = new Map<string, string>();
  const around = new Map<string, string | null>();
  const lines: MermaidLine[] = [];
  const open: string[] = [];
  const declare = (id: string) => {
    if (id !== "[*]" && !around.has(id)) around.set(id, open.at(-1) ?? null);
  };
  for (const row of rows.map((one) => one.trim())) {
    const named = /^state "([^"]+)" as (\w+)$/.exec(row);
    const opened = /^state (\w+) \{$/.exec(row);
    const line = /^(\w+|\[\*\]) --> (\w+|\[\*\])(?:: ([^:;]+))?$/.exec(row);
    if (named !== null) {
      names.set(named[2] ?? "", named[1] ?? "");
      declare(named[2] ?? "");
    } else if (opened !== null) {
      declare(opened[1] ?? "");
      open.push(opened[1] ?? "");
    } else if (row === "}") {
      if (open.pop() === undefined) throw new Error("A brace too many");
    } else if (line !== null) {
      const [, from = "", to = "", label = null] = line;
      declare(from);
      declare(to);
      lines.push({ from, to, label, around: open.at(-1) ?? null });
    } else {
      throw new Error(`Not a row of a state diagram: ${row}`);
    }
  }
  if (open.length > 0) throw new Error("A brace too few");
  const states = [...around].map(
    ([id, parent]) => [id, { name: names.get(id) ?? id, around: parent }] as const,
  );
  return { states: new Map(states), lines };
}
