export interface Refusal {
  readonly ok: false;
  readonly error_code: number;
  readonly description: string;
  readonly parameters?: object;
}

export interface Accepted {
  readonly ok: true;
  readonly result: unknown;
}

/** The body of the server's answer. */
export type Answer = Accepted | Refusal;

export type Params = Readonly<Record<string, unknown>>;

export function accepted(result: unknown): Accepted {
  return { ok: true, result };
}

export function refused(code: number, description: string, parameters?: object): Refusal {
  return {
    ok: false,
    error_code: code,
    description,
    ...(parameters === undefined ? {} : { parameters }),
  };
}

export function badRequest(what: string): Refusal {
  return refused(400, `Bad Request: ${what}`);
}

export function tooManyRequests(retryAfter: number): Refusal {
  return refused(429, `Too Many Requests: retry after ${retryAfter}`, { retry_after: retryAfter });
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isRefusal(value: unknown): value is Refusal {
  return isRecord(value) && value["ok"] === false && typeof value["error_code"] === "number";
}

/** The server takes whole numbers as JSON numbers and as decimal strings alike. */
export function readInteger(value: unknown): number | null {
  if (typeof value === "number") return Number.isSafeInteger(value) ? value : null;
  if (typeof value === "string" && /^-?\d{1,16}$/.test(value)) return Number(value);
  return null;
}

export function readFlag(value: unknown): boolean {
  return value === true || value === 1 || value === "true" || value === "1";
}
