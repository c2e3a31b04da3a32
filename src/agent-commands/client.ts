import { request } from "node:http";
import { text } from "node:stream/consumers";
import { z } from "zod";
import type { Environment } from "../config.ts";
import type { CommandResult, SendCommand } from "./door.ts";
import { DOOR_PATHS, DOOR_SOCKET, DOOR_TOKEN } from "./protocol.ts";

const resultSchema = z.object({ ok: z.boolean(), words: z.string() });

export type Asked =
  | { readonly command: "send"; readonly file: SendCommand }
  | { readonly command: "restartContext" };

const TIMEOUT_MS = 30_000;

/** Asks the service that has started this agent. Never throws. */
export async function askDoor(env: Environment, asked: Asked): Promise<CommandResult> {
  const [socketPath, token] = [env[DOOR_SOCKET], env[DOOR_TOKEN]];
  if (socketPath === undefined || token === undefined) {
    return {
      ok: false,
      words: "this is a command of the agents that holdfast runs, and this shell is not one's",
    };
  }
  try {
    const body = JSON.stringify(asked.command === "send" ? asked.file : {});
    const answer = await post(socketPath, token, DOOR_PATHS[asked.command], body);
    return resultSchema.parse(JSON.parse(answer));
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { ok: false, words: `holdfast cannot be reached (${detail}); is it running?` };
  }
}

function post(socketPath: string, token: string, path: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const asking = request(
      { socketPath, path, method: "POST", headers, timeout: TIMEOUT_MS },
      (response) => {
        text(response).then(resolve, reject);
      },
    );
    asking.on("timeout", () => asking.destroy(new Error("no answer in time")));
    asking.on("error", reject);
    asking.end(body);
  });
}
