import { realpathSync, statSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { UnavailableReason } from "../../machines/vocabulary.ts";
import { checkDirectory } from "../config/paths.ts";
import type { Logger } from "../log.ts";

/**
 * One directory is one workspace, however it was written: cleaned, then its
 * symlinks resolved; only cleaned where it does not exist.
 */
export function normalizeWorkspace(path: string, log: Logger): string {
  const cleaned = resolve(path);
  let normalized = cleaned;
  try {
    // The system's own: where case does not matter, it gives a directory its one true name.
    normalized = realpathSync.native(cleaned);
  } catch {
    // Not there (yet), or not to be looked at: the clean path is the best there is.
  }
  if (normalized !== path) {
    log.debug({ original: path, normalized }, "workspace.normalized");
  }
  return normalized;
}

export type WorkspaceCheck =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly reason: UnavailableReason; readonly detail: string };

/** Whether an agent may work there now: inside the roots after symlinks, a directory, readable. */
export function checkWorkspace(
  path: string,
  roots: readonly string[],
  log: Logger,
): WorkspaceCheck {
  const normalized = normalizeWorkspace(path, log);
  if (!isInside(normalized, roots)) {
    return { ok: false, reason: "workspace-outside-roots", detail: normalized };
  }
  const checked = checkDirectory(normalized);
  if (checked.ok) return { ok: true, path: normalized };
  return { ok: false, reason: whyUnusable(normalized), detail: checked.what };
}

function whyUnusable(path: string): UnavailableReason {
  try {
    return statSync(path).isDirectory() ? "workspace-unreadable" : "workspace-not-a-directory";
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    return code === "EACCES" || code === "EPERM" ? "workspace-unreadable" : "workspace-missing";
  }
}

function isInside(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => {
    const way = relative(root, path);
    return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
  });
}

/**
 * The workspace that a user names: an absolute path, or a name under one of
 * the roots. The first that exists wins; refused where none may be used.
 */
export function findWorkspace(
  named: string,
  roots: readonly string[],
  log: Logger,
): WorkspaceCheck {
  const candidates = isAbsolute(named) ? [named] : roots.map((root) => `${root}${sep}${named}`);
  const checks = candidates.map((path) => checkWorkspace(path, roots, log));
  return (
    checks.find((one) => one.ok) ??
    checks.find((one) => !one.ok && one.reason !== "workspace-outside-roots") ??
    checks[0] ?? { ok: false, reason: "no-workspace", detail: named }
  );
}
