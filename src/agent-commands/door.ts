import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { Logger } from "../log.ts";
import type { SessionKey } from "../ports.ts";
import { DOOR_PATHS, DOOR_SOCKET, DOOR_TOKEN } from "./protocol.ts";

/** What a command of an agent came to: words for the agent. */
export interface CommandResult {
  readonly ok: boolean;
  readonly words: string;
}

export interface SendCommand {
  /** Absolute. */
  readonly path: string;
  readonly caption: string;
}

/** Who asks: the agent of one launch. */
export interface Caller {
  readonly key: SessionKey;
  readonly epoch: number;
}

export interface DoorOptions {
  readonly stateDir: string;
  readonly log: Logger;
  send(key: SessionKey, command: SendCommand): CommandResult;
  restartContext(caller: Caller): CommandResult;
}

/** Where agents ask for what only their chat can give them: a socket that its owner alone may open. */
export interface Door extends AsyncDisposable {
  /** The variables by which a session's agent is known from now on; those of its launch before are void. */
  envOf(key: SessionKey, epoch: number): Readonly<Record<string, string>>;
}

/** The kernel takes no longer path for a socket (108 bytes with the end mark). */
const SOCKET_PATH_MAX = 100;

const BODY_MAX = 16_384;

const sendSchema = z.strictObject({
  path: z.string().min(1).max(4_096),
  caption: z.string().max(1_024).default(""),
});

export function openDoor(options: DoorOptions): Door {
  const { log } = options;
  const socket = socketPath(options.stateDir);
  const tokens = new Map<string, Caller>();
  const server = createServer((request, response) => {
    answer(options, tokens, request, response).catch((error: unknown) => {
      log.warn({ error }, "door.failed");
      reply(response, 500, {
        ok: false,
        words: "it could not be done; the log of holdfast says why",
      });
    });
  });
  server.requestTimeout = 10_000;
  server.on("error", (error) => log.error({ error, socket }, "door.closed"));
  // The state directory is locked: what lies there is left from a crash.
  rmSync(socket, { force: true });
  server.listen(socket, () => chmodSync(socket, 0o600));
  server.unref();
  return {
    envOf(key, epoch) {
      for (const [token, owner] of tokens) if (owner.key === key) tokens.delete(token);
      const token = randomBytes(32).toString("base64url");
      tokens.set(token, { key, epoch });
      return { [DOOR_SOCKET]: socket, [DOOR_TOKEN]: token };
    },
    async [Symbol.asyncDispose]() {
      tokens.clear();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(socket, { force: true });
      if (dirname(socket) !== options.stateDir)
        rmSync(dirname(socket), { recursive: true, force: true });
    },
  };
}

function socketPath(stateDir: string): string {
  const path = join(stateDir, "agent.sock");
  if (Buffer.byteLength(path) <= SOCKET_PATH_MAX) return path;
  return join(mkdtempSync(join(tmpdir(), "holdfast-")), "agent.sock");
}

async function answer(
  options: DoorOptions,
  tokens: ReadonlyMap<string, Caller>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const caller = tokens.get(/^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "");
  if (caller === undefined) {
    return reply(response, 401, {
      ok: false,
      words: "this agent is not known any more: holdfast was restarted, or the session was",
    });
  }
  const body = await readBody(request);
  if (body === null) return reply(response, 413, { ok: false, words: "the request is too long" });
  const asked = request.method === "POST" ? request.url : undefined;
  switch (asked) {
    case DOOR_PATHS.send: {
      const command = sendSchema.safeParse(parse(body)).data;
      return command === undefined
        ? reply(response, 400, {
            ok: false,
            words: "a path and at most 1024 characters of caption are needed",
          })
        : reply(response, 200, options.send(caller.key, command));
    }
    case DOOR_PATHS.restartContext:
      return reply(response, 200, options.restartContext(caller));
    default:
      return reply(response, 404, { ok: false, words: "holdfast knows no such command" });
  }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk as Uint8Array);
    size += bytes.length;
    if (size > BODY_MAX) return null;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function reply(response: ServerResponse, status: number, result: CommandResult): void {
  if (response.headersSent) return;
  response.writeHead(status, { "content-type": "application/json", connection: "close" });
  response.end(JSON.stringify(result));
}
