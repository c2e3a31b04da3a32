import { describe, expect, it } from "vitest";
import { scrub } from "../../../src/channels/telegram/scrub.ts";

const TOKEN = "123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1";

describe("scrub", () => {
  it.each([
    `request to https://api.telegram.org/bot${TOKEN}/getMe failed`,
    `${TOKEN} and again ${TOKEN}`,
    `encoded ${encodeURIComponent(TOKEN)} in a query`,
    "another bot's 987654:BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB token",
    "encoded and another's 987654%3aBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB token",
  ])("leaves no token in %j", (text) => {
    const clean = scrub(text, TOKEN);
    expect(clean).not.toMatch(/AAHdq|BBBB/);
    expect(clean).toContain("[token]");
  });

  it("takes out a token of any shape when it is the one in use", () => {
    expect(scrub("at /botshort/getMe", "short")).toBe("at /bot[token]/getMe");
  });

  it("leaves other text alone", () => {
    expect(scrub("429: Too Many Requests: retry after 12", TOKEN)).toBe(
      "429: Too Many Requests: retry after 12",
    );
    expect(scrub("nothing configured", "")).toBe("nothing configured");
  });
});
