import type { Database } from "better-sqlite3";
import { initial } from "./migrations/0001-initial.ts";
import { parkedRows } from "./migrations/0002-parked-rows.ts";
import { buttons } from "./migrations/0003-buttons.ts";
import { files } from "./migrations/0006-files.ts";
import { about } from "./migrations/0005-about.ts";
import { outgoingFiles } from "./migrations/0007-outgoing-files.ts";
import { progress } from "./migrations/0004-progress.ts";

export interface Migration {
  /** The schema's version after it; the first is 1, without gaps. */
  readonly version: number;
  readonly sql: string;
}

export const MIGRATIONS: readonly Migration[] = [
  initial,
  parkedRows,
  buttons,
  progress,
  about,
  files,
  outgoingFiles,
];

export function latestVersion(migrations: readonly Migration[] = MIGRATIONS): number {
  return migrations.at(-1)?.version ?? 0;
}

export function schemaVersion(db: Database): number {
  return Number(db.pragma("user_version", { simple: true }));
}

/** "hold" in ASCII: tells our files from those of other programs. */
export const APPLICATION_ID = 0x68_6f_6c_64;

/**
 * Brings the schema to the last version, each step with its number in one
 * transaction: what a crash interrupts is done again as a whole.
 */
export function migrate(db: Database, migrations: readonly Migration[] = MIGRATIONS): void {
  for (const { version, sql } of migrations) {
    if (version <= schemaVersion(db)) continue;
    db.transaction(() => {
      db.exec(sql);
      db.pragma(`application_id = ${APPLICATION_ID}`);
      db.pragma(`user_version = ${version}`);
    }).immediate();
  }
}
