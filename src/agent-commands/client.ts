import { request } from "node:http";
import { text } from "node:stream/consumers";
import { z } from "zod";
import type { Environment } from "../config.ts";
import type { CommandResult, SendCommand } from "./door.ts";
import { DOOR_SOCKET, DOOR_TOKEN } from "./protocol.ts";

const resultSchema = z.object({ ok: z.boolean(), words: z.string() });

const TIMEOUT_MS = 30_000;

/** Asks the service that has started this agent. Never throws. */
export async function askDoor(env: Environment, command: SendCommand): Promise<CommandResult> {
  const [socketPath, token] = [env[DOOR_SOCKET], env[DOOR_TOKEN]];
  if (socketPath === undefined || token === undefined) {
    return {
      ok: false,
      words: "send is a command of the agents that holdfast runs, and this shell is not one's",
    };
  }
  try {
    const answer = await post(socketPath, token, JSON.stringify(command));
    return resultSchema.parse(JSON.parse(answer));
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { ok: false, words: `holdfast cannot be reached (${detail}); is it running?` };
  }
}

function post(socketPath: string, token: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const asking = request(
      { socketPath, path: "/send", method: "POST", headers, timeout: TIMEOUT_MS },
      (response) => {
        text(response).then(resolve, reject);
      },
    );
    asking.on("timeout", () => asking.destroy(new Error("no answer in time")));
    asking.on("error", reject);
    asking.end(body);
  });
}
