import { writeFileSync } from "node:fs";
import { renderExample, renderReference } from "../config/reference.ts";

const root = new URL("../../", import.meta.url);

writeFileSync(new URL("docs/configuration.md", root), renderReference());
writeFileSync(new URL("holdfast.toml.example", root), renderExample());
