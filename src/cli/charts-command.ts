import { mkdirSync, writeFileSync } from "node:fs";
import { MACHINE_NAMES } from "../inspector/chart/chart-of.ts";
import { chartFiles } from "../inspector/chart/files.ts";

const root = new URL("../../", import.meta.url);

for (const folder of ["docs/machines/", "src/inspector/charts/"]) {
  mkdirSync(new URL(folder, root), { recursive: true });
}
for (const name of MACHINE_NAMES) {
  for (const [path, text] of await chartFiles(name)) writeFileSync(new URL(path, root), text);
}
