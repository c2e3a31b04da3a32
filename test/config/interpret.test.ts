import { describe, expect, it } from "vitest";
import type { Environment } from "../../src/config.ts";
import { useConfigFolder } from "../support/config-folder.ts";

const { bot, problem, problems } = useConfigFolder();

describe("Telegram", () => {
  it("with an empty token is refused", () => {
    const found = problem({ env: { ...bot(), TELEGRAM_BOT_TOKEN: "" } });
    expect(found).toMatch(/^TELEGRAM_BOT_TOKEN \(environment\): is empty.*BotFather/);
  });

  it("with a malformed token is refused without showing it", () => {
    const found = problem({ env: { ...bot(), TELEGRAM_BOT_TOKEN: "1234567:my secret" } });
    expect(found).toMatch(/^TELEGRAM_BOT_TOKEN .*not shown/);
    expect(found).not.toContain("my secret");
  });

  it.each(["", ",", undefined])("without anybody allowed (%j) is refused", (users) => {
    const found = problem({ env: { ...bot(), HOLDFAST_ALLOWED_USERS: users } as Environment });
    expect(found).toMatch(/^HOLDFAST_ALLOWED_USERS \(.*nobody is allowed.*List the numeric/);
  });

  it("without a workspace is refused", () => {
    const env: Record<string, string> = bot();
    delete env["HOLDFAST_WORKSPACE"];
    expect(problem({ env })).toMatch(/^HOLDFAST_WORKSPACE \(or workspaces\.default in holdfast/);
  });

  it("says all that a lone bad token of the file lacks", () => {
    expect(problems({ toml: "[telegram]\ntoken = 5\n" })).toHaveLength(3);
  });
});

describe("limits", () => {
  it("refuses limits that do not fit each other", () => {
    const env = { HOLDFAST_LIMIT_POLL_ABORT_MS: "100" };
    expect(problem({ env })).toMatch(
      /^HOLDFAST_LIMIT_POLL_ABORT_MS .*below limits.poll_timeout_ms/,
    );
  });
});
