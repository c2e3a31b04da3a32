import { randomBytes } from "node:crypto";
import type { Database } from "better-sqlite3";
import type { Button, DraftButton, StoredButton } from "../ports.ts";

export interface Buttons {
  /** Gives each a nonce of its own. */
  insert(row: number, lines: readonly (readonly DraftButton[])[]): void;
  of(row: number): readonly (readonly Button[])[];
  find(nonce: string): StoredButton | null;
  /** Those of a message that is given another text: the row that made it, and all that changed it. */
  voidOf(original: number, at: number): void;
}

interface Row {
  readonly session_key: string;
  readonly outbox_id: number;
  readonly label: string;
  readonly action: string;
  readonly owner: string | null;
  readonly created_at: number;
  readonly voided_at: number | null;
  readonly text: string;
}

/** 72 bits: not to be guessed, and far within the 64 bytes that Telegram gives a button. */
const NONCE_BYTES = 9;

export function createButtons(db: Database): Buttons {
  const insert = db.prepare<[string, number, number, number, string, string, string | null]>(
    `INSERT INTO buttons (nonce, outbox_id, line, place, label, action, owner)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const ofRow = db.prepare<[number], { line: number; label: string; nonce: string }>(
    "SELECT line, label, nonce FROM buttons WHERE outbox_id = ? ORDER BY line, place",
  );
  const find = db.prepare<[string], Row>(
    `SELECT session_key, outbox_id, label, action, owner, created_at, voided_at, text
     FROM buttons JOIN outbox ON outbox.id = buttons.outbox_id WHERE nonce = ?`,
  );
  const voidOf = db.prepare<[number, number, number]>(
    `UPDATE buttons SET voided_at = ? WHERE voided_at IS NULL
     AND outbox_id IN (SELECT id FROM outbox WHERE id = ? OR edits = ?)`,
  );
  return {
    insert(row, lines) {
      for (const [line, places] of lines.entries()) {
        for (const [place, { label, action, owner = null }] of places.entries()) {
          const nonce = randomBytes(NONCE_BYTES).toString("base64url");
          insert.run(nonce, row, line, place, label, action, owner);
        }
      }
    },
    of(row) {
      const lines: Button[][] = [];
      for (const { line, label, nonce } of ofRow.all(row)) {
        lines[line] = [...(lines[line] ?? []), { label, nonce }];
      }
      return lines.filter((one) => one.length > 0);
    },
    find(nonce) {
      const row = find.get(nonce);
      return row === undefined ? null : toButton(row);
    },
    voidOf: (original, at) => void voidOf.run(at, original, original),
  };
}

function toButton(row: Row): StoredButton {
  return {
    key: row.session_key,
    label: row.label,
    action: row.action,
    owner: row.owner,
    createdAt: row.created_at,
    isVoid: row.voided_at !== null,
    row: row.outbox_id,
    text: row.text,
  };
}
