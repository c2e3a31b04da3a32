import { ATTACHMENTS, type Attachment } from "../../attachment.ts";
import type { RawMessage } from "./update-schema.ts";

/** Events of the chat that Telegram shows as messages; nobody expects an answer to them. */
const SERVICE_FIELDS: readonly string[] = [
  "new_chat_members",
  "left_chat_member",
  "new_chat_title",
  "new_chat_photo",
  "delete_chat_photo",
  "group_chat_created",
  "supergroup_chat_created",
  "channel_chat_created",
  "message_auto_delete_timer_changed",
  "migrate_to_chat_id",
  "migrate_from_chat_id",
  "pinned_message",
  "successful_payment",
  "refunded_payment",
  "users_shared",
  "chat_shared",
  "connected_website",
  "write_access_allowed",
  "passport_data",
  "proximity_alert_triggered",
  "boost_added",
  "chat_background_set",
  "forum_topic_created",
  "forum_topic_edited",
  "forum_topic_closed",
  "forum_topic_reopened",
  "general_forum_topic_hidden",
  "general_forum_topic_unhidden",
  "giveaway_created",
  "giveaway_completed",
  "giveaway_winners",
  "video_chat_scheduled",
  "video_chat_started",
  "video_chat_ended",
  "video_chat_participants_invited",
  "web_app_data",
];

/** What a message holds besides text, or null. */
export function attachmentOf(message: RawMessage): Attachment | null {
  return ATTACHMENTS.find((field) => present(message, field)) ?? null;
}

export function isServiceMessage(message: RawMessage): boolean {
  return SERVICE_FIELDS.some((field) => present(message, field));
}

function present(message: RawMessage, field: string): boolean {
  return Object.hasOwn(message, field) && message[field] !== undefined && message[field] !== null;
}
