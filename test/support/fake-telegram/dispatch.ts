import { refused, readInteger, tooManyRequests } from "./answer.ts";
import type { Answer, Params } from "./answer.ts";
import type { Call, Method } from "./call.ts";
import { MESSAGE_METHODS } from "./methods-messages.ts";
import { SERVICE_METHODS } from "./methods-service.ts";
import type { World } from "./world.ts";

/** The server compares names without regard to case. */
const METHODS = new Map(
  [...MESSAGE_METHODS, ...SERVICE_METHODS].map((method) => [method.name.toLowerCase(), method]),
);

/** The name as the documentation writes it; an unknown one as it is. */
export function methodName(given: string): string {
  return METHODS.get(given.toLowerCase())?.name ?? given;
}

/** What is wrong with the call itself, whether or not it will be answered. */
export function judgeCall(world: World, name: string, params: Params): void {
  const chatId = readInteger(params["chat_id"]);
  if (chatId !== null && world.flood.isOffended(chatId)) {
    world.violate(`${name} into chat ${chatId} while its 429 lasts`);
  }
  const known = METHODS.get(name.toLowerCase());
  for (const [param, value] of Object.entries(params)) {
    if (value === "" || value === null) world.violate(`${name} with an empty "${param}"`);
    const isKnown = known === undefined || param === "method" || known.params.includes(param);
    if (!isKnown) world.violate(`${name} with "${param}", which it does not take`);
  }
}

export async function answerCall(world: World, name: string, call: Call): Promise<Answer> {
  const method = METHODS.get(name.toLowerCase());
  if (method === undefined) return refused(404, "Not Found: method not found");
  const retryAfter = floodPenalty(world, method, call.params);
  return retryAfter === null ? method.run(world, call) : tooManyRequests(retryAfter);
}

function floodPenalty(world: World, method: Method, params: Params): number | null {
  if (method.isMessage !== true) return null;
  const chat = world.chats.get(readInteger(params["chat_id"]) ?? 0);
  return chat === undefined ? null : world.flood.admit(chat);
}
