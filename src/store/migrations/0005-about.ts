/** Which message of the chat a command replies to. */
export const about = {
  version: 5,
  sql: "ALTER TABLE inbox ADD COLUMN about TEXT;",
};
