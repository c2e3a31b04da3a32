import { z } from "zod";

/** Telegram's own upper limit, and its default. */
export const UPDATES_PER_POLL = 100;

/**
 * The little of an update that holdfast reads. A field of another shape than
 * expected is taken as absent wherever that is safe, so that a later Bot API
 * cannot make a person's message unreadable; unknown fields stay, for the kind
 * of an attachment is told by the field's name.
 */
const words = z.string().optional().catch(undefined);

const user = z.object({
  id: z.int(),
  // What cannot be read is not a person.
  is_bot: z.boolean().optional().catch(true),
  username: words,
});

const chat = z.object({ id: z.int(), type: words });

const message = z.looseObject({
  message_id: z.int(),
  chat,
  from: user.optional().catch(undefined),
  text: words,
  caption: words,
  message_thread_id: z.int().optional().catch(undefined),
  is_topic_message: z.boolean().optional().catch(undefined),
  media_group_id: words,
  migrate_to_chat_id: z.int().optional().catch(undefined),
  reply_to_message: z
    .object({ message_id: z.int(), from: user.optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

/** Without its number an update can neither be deduplicated nor confirmed. */
export const envelopeSchema = z.looseObject({ update_id: z.int().nonnegative() });
export const messageSchema = message;
/** Without its message or its data a press cannot be one of ours. */
export const callbackSchema = z.object({
  id: z.string(),
  from: user,
  message: message.optional().catch(undefined),
  data: words,
});
export const membershipSchema = z.object({
  chat,
  new_chat_member: z.object({ status: z.string() }),
});
export const meSchema = z.object({
  id: z.int(),
  username: z.string(),
  can_read_all_group_messages: z.boolean().optional().catch(undefined),
});
export const sentSchema = z.object({ message_id: z.int() });

export type RawUpdate = z.infer<typeof envelopeSchema>;
export type RawMessage = z.infer<typeof messageSchema>;

/** The kinds that are asked for; the Bot API keeps every other to itself. */
export const ALLOWED_UPDATES = [
  "message",
  "edited_message",
  "callback_query",
  "my_chat_member",
] as const;
