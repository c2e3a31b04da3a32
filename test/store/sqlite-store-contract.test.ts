import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../src/store/sqlite-store.ts";
import { storeContract } from "../contract/store-contract.ts";

storeContract("SQLite", async (clock) => {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-store-"));
  const open = () => openStore({ file: join(dir, "holdfast.db"), clock, agentKind: "scripted" });
  return {
    store: open(),
    reopen: async () => open(),
    cleanup: async () => rmSync(dir, { recursive: true, force: true }),
  };
});
