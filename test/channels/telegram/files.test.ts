import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FetchedFile } from "../../../src/ports.ts";
import { startFakeTelegram, type FakeTelegram } from "../../support/fake-telegram/server.ts";
import { endFake, openChannel } from "./support.ts";

const KIB = 1_024;

describe("a file of a message", () => {
  let fake: FakeTelegram;
  beforeEach(async () => {
    fake = await startFakeTelegram();
  });
  afterEach(() => endFake(fake));

  const fetched = async (fileId: string, maxBytes = 20 * KIB * KIB): Promise<FetchedFile> => {
    const found = await openChannel(fake).channel.fetchFile?.(
      { fileId, name: "a", bytes: null },
      maxBytes,
    );
    if (found === undefined) throw new Error("Telegram has files");
    return found;
  };

  it("is fetched whole", async () => {
    const found = await fetched(fake.addFile({ name: "a.txt", content: Buffer.from("abc") }));
    expect(found).toEqual({ ok: true, content: Buffer.from("abc") });
  });

  it("is too big where Telegram gives it to no bot, or where it is over the limit", async () => {
    const large = fake.addFile({ name: "b.bin", content: 20_000_001 });
    expect(await fetched(large)).toMatchObject({ ok: false, tooBig: true });
    const small = fake.addFile({ name: "a.txt", content: Buffer.alloc(2 * KIB) });
    expect(await fetched(small, KIB)).toMatchObject({ ok: false, tooBig: true });
  });

  it("that Telegram does not know any more is no fault, and the token is not told", async () => {
    const gone = await fetched("none");
    expect(gone).toMatchObject({ ok: false, tooBig: false });
    expect(JSON.stringify(gone)).not.toContain(fake.token);
  });
});
