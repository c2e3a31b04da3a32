import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Address, Channel, Outgoing } from "../../src/ports.ts";

export interface ChannelSetup {
  readonly channel: Channel;
  /** Another instance of the same configuration: the one after a restart. */
  readonly restarted: Channel;
  readonly address: Address;
  /** What the user has been shown so far, in order. */
  shown(): readonly string[];
  /** Makes the next delivery fail. */
  breakNext(): void;
  cleanup(): Promise<void>;
}

/** What every adapter of the channel port does. */
export function channelContract(name: string, setup: () => Promise<ChannelSetup>): void {
  describe(`channel contract: ${name}`, () => {
    let one: ChannelSetup;

    beforeEach(async () => {
      one = await setup();
    });
    afterEach(() => one.cleanup());

    const outgoing = (text: string, more: Partial<Outgoing> = {}): Outgoing => ({
      id: 1,
      address: one.address,
      text,
      footer: null,
      replyTo: null,
      ...more,
    });

    const deliver = async (out: Outgoing): Promise<readonly string[]> => {
      const before = one.shown().length;
      for (const part of one.channel.render(out)) {
        const result = await one.channel.send(out, part);
        expect(result.outcome).toBe("sent");
      }
      return one.shown().slice(before);
    };

    it("gives the same parts for the same text, also after a restart", () => {
      const long = `# Title\n\n${"Some *words* and `code`.\n\n".repeat(600)}`;
      for (const text of ["hello", long, ""]) {
        const out = outgoing(text, { footer: "[ctx: 12%]", replyTo: "1" });
        const parts = one.channel.render(out);
        expect(one.channel.render(out)).toEqual(parts);
        expect(one.restarted.render(out)).toEqual(parts);
      }
    });

    it("shows a text once and acknowledges it with an id of its own", async () => {
      const ids: string[] = [];
      for (const text of ["first answer", "second answer"]) {
        const out = outgoing(text);
        const [part, ...others] = one.channel.render(out);
        expect(others).toEqual([]);
        const result = await one.channel.send(out, part ?? {});
        if (result.outcome === "sent") ids.push(result.platformMessageId);
      }
      expect(new Set(ids).size).toBe(2);
      expect(ids).not.toContain("");
      const shown = one.shown();
      expect(shown).toHaveLength(2);
      expect(shown[0]).toContain("first answer");
      expect(shown[1]).toContain("second answer");
    });

    it("ends with the footer on a line of its own, and shows none where there is none", async () => {
      const withFooter = await deliver(outgoing("an answer", { footer: "[ctx: 62%]" }));
      expect(withFooter.at(-1)?.split("\n").at(-1)).toBe("[ctx: 62%]");
      const without = await deliver(outgoing("an answer"));
      expect(without.join("\n")).not.toContain("ctx");
    });

    it("shows all of a long text once, in order", async () => {
      const words = Array.from({ length: 1_000 }, (_, index) => `word${index}`);
      const shown = await deliver(outgoing(words.join(" "), { footer: "[ctx: 5%]" }));
      expect(shown.join("\n").match(/word\d+/g)).toEqual(words);
      expect(shown.at(-1)).toMatch(/\[ctx: 5%\]$/);
    });

    it("shows all of a very long text, its beginning maybe twice", async () => {
      const words = Array.from({ length: 4_000 }, (_, index) => `word${index}`);
      const shown = await deliver(outgoing(words.join(" "), { footer: "[ctx: 5%]" }));
      const all = shown.join("\n").match(/word\d+/g) ?? [];
      expect([...new Set(all)]).toEqual(words);
      expect(all.slice(-words.length)).toEqual(words);
      expect(shown.at(-1)).toMatch(/\[ctx: 5%\]$/);
    });

    it.each(["", "   \n\n\t", "\u0000", "\u200b"])(
      "shows something for the text %j",
      async (text) => {
        const shown = await deliver(outgoing(text));
        expect(shown).toHaveLength(1);
        expect(shown[0]?.trim()).not.toBe("");
      },
    );

    it.each([
      "```js\nnever closed",
      "| a | b |\n|---|---|\n| 1 | 2 |",
      "a_b_c *x **y",
      "<b>html</b> &amp; &lt;",
      "👩‍👩‍👧‍👦🇩🇪 e\u0301",
      "lone \ud800 surrogate",
    ])("delivers the awkward text %j", async (text) => {
      expect(await deliver(outgoing(text, { footer: "[ctx: 1%]" }))).toHaveLength(1);
    });

    it("reports a failed delivery as an outcome, and the same part can be sent afterwards", async () => {
      const out = outgoing("an answer");
      const [part = {}] = one.channel.render(out);
      one.breakNext();
      const failed = await one.channel.send(out, part);
      expect(["retry", "ambiguous", "gated"]).toContain(failed.outcome);
      expect(await one.channel.send(out, part)).toMatchObject({ outcome: "sent" });
      expect(one.shown()).toHaveLength(1);
    });
  });
}
