import { isIPv6 } from "node:net";

/** Longer ones are no use to a reader, and what the server takes of them is not documented. */
const URL_MAX_UNITS = 2_048;

/**
 * The address as a `text_link` may carry it; null where the server would refuse the whole message
 * or change the address, which must then be shown as text. It takes http, https and tg only, and
 * wants a dot in the host: `http://localhost:3000` is refused, `tel:` is refused, and `mailto:a@b.c`
 * becomes `http://mailto:a@b.c/` (TDLib, `LinkManager::check_link_impl` and `parse_url`).
 */
export function linkTarget(address: string): string | null {
  const url = address.trim().replaceAll(/\s/g, (space) => encodeURIComponent(space));
  if (url.length > URL_MAX_UNITS) return null;
  return isWebAddress(url) || isTelegramAddress(url) ? url : null;
}

function isWebAddress(url: string): boolean {
  const [, authority = ""] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? [];
  const [, host = "", port] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(authority) ?? [];
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return false;
  if (host.startsWith("[")) return isIPv6(host.slice(1, -1));
  // No user name before the host: it is how a link pretends to lead elsewhere.
  return /^[\p{L}\p{M}\p{N}\p{So}\u200d._~-]+$/u.test(host) && /[^.]\.[^.]/.test(host);
}

/** `tg://user?id=` is left out: for a user whom the bot does not know, the server refuses the message. */
function isTelegramAddress(url: string): boolean {
  return /^tg:(?:\/\/)?[\w-]+(?:[/?#]|$)/i.test(url) && !/^tg:(?:\/\/)?user\b/i.test(url);
}

/** An address for the reader; Telegram itself makes links of e-mail addresses and phone numbers. */
export function shownTarget(address: string): string {
  return address.replace(/^(?:mailto|tel):/i, "");
}
