import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { spawnVerdict } from "../../../src/agents/claude/verdict.ts";

describe("a process that the system does not start", () => {
  it.each(["EAGAIN", "ENOMEM", "EMFILE", "E2BIG", null])(
    "for %s says nothing about the session: unavailable, with the system's words",
    (code) => {
      const failure = { code, message: `spawn agent ${code ?? "failed"}` };
      expect(spawnVerdict(failure, "agent", tmpdir())).toMatchObject({
        type: "agent.unavailable",
        reason: "spawn-failed",
        detail: `agent could not be started: ${failure.message}`,
      });
    },
  );
});
