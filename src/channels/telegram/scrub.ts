const MARK = "[token]";

/** Anything shaped like a bot token, its colon possibly percent-encoded. */
const LOOKS_LIKE_A_TOKEN = /\d+(?::|%3A)[\w-]{30,}/gi;

/**
 * Takes the token out of a text. Telegraf and node-fetch put the request's URL,
 * and with it the token, into the errors of bodies that are cut or no JSON.
 */
export function scrub(text: string, token: string): string {
  let clean = text;
  if (token !== "") {
    for (const form of [token, encodeURIComponent(token)]) clean = clean.replaceAll(form, MARK);
  }
  return clean.replace(LOOKS_LIKE_A_TOKEN, MARK);
}
