/**
 * What a message may hold beside text, by the names of Telegram's fields. The first that is there
 * says what it is: an animation carries a `document` as well, a venue a `location`.
 */
export const ATTACHMENTS = [
  "animation",
  "paid_media",
  "photo",
  "video",
  "video_note",
  "voice",
  "audio",
  "document",
  "sticker",
  "story",
  "contact",
  "venue",
  "location",
  "poll",
  "checklist",
  "dice",
  "game",
  "invoice",
  "giveaway",
] as const;

/** `other`: of a kind that is not known yet. */
export type Attachment = (typeof ATTACHMENTS)[number] | "other";
