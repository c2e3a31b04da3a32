import { channelContract } from "../../contract/channel-contract.ts";
import { startFakeTelegram } from "../../support/fake-telegram/server.ts";
import { endFake, openChannel, OWNER, says } from "./support.ts";

channelContract("telegram", async () => {
  const fake = await startFakeTelegram();
  says(fake);
  return {
    channel: openChannel(fake).channel,
    restarted: openChannel(fake).channel,
    address: { channel: "telegram", chatId: String(OWNER), topicId: null },
    shown: () =>
      fake.messages.map(({ text, document }) =>
        document === undefined ? text : `${document.bytes.toString()}\n\n${text}`,
      ),
    breakNext: () => fake.fail("sendMessage", { kind: "reset" }),
    cleanup: () => endFake(fake),
  };
});
