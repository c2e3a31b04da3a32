import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { acquireStateLock } from "../../src/store/state-lock.ts";

/** Takes the lock of the directory given, says how that went, and holds it until it is ended. */
const [stateDir = ""] = process.argv.slice(2);
try {
  acquireStateLock(stateDir, { now: () => 1_700_000_000_000 });
  // Nothing refers to the lock: it must be kept all the same.
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  process.stdout.write("held\n");
  setInterval(() => {}, 60_000);
} catch (error) {
  process.stdout.write(`${error instanceof Error ? `${error.name}: ${error.message}` : "?"}\n`);
}
