/** What came with a message besides its text, as JSON: by the platform's ids, fetched when it is given. */
export const files = {
  version: 6,
  sql: "ALTER TABLE inbox ADD COLUMN files TEXT NOT NULL DEFAULT '[]';",
};
