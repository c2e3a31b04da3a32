import { z } from "zod";

/** What comes in on stdin, as far as it means something here. */
export type Input =
  | { readonly kind: "prompt"; readonly uuid: string | null; readonly text: string }
  | { readonly kind: "request"; readonly id: string; readonly request: Request }
  | {
      readonly kind: "decision";
      readonly id: string;
      readonly allow: boolean;
      readonly reason: string;
    }
  | { readonly kind: "ignored" }
  /** The real agent ends on such a line. */
  | { readonly kind: "fatal"; readonly error: string };

const requestSchema = z.looseObject({
  subtype: z.string(),
  mode: z.string().optional(),
  model: z.string().optional(),
  cancel_queued: z.boolean().optional(),
});
export type Request = z.infer<typeof requestSchema>;

const blockSchema = z.looseObject({ type: z.string(), text: z.string().optional() });
const lineSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("user"),
    uuid: z.string().optional(),
    message: z.object({ content: z.union([z.string(), z.array(blockSchema)]) }),
  }),
  z.object({
    type: z.literal("control_request"),
    request_id: z.string(),
    request: requestSchema,
  }),
  z.object({
    type: z.literal("control_response"),
    response: z.object({
      request_id: z.string(),
      response: z
        .looseObject({ behavior: z.string().optional(), message: z.string().optional() })
        .optional(),
    }),
  }),
]);

export function readInput(line: string): Input {
  if (line.trim() === "") return { kind: "ignored" };
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return { kind: "fatal", error: `${line.length} characters that are no JSON: ${String(error)}` };
  }
  const parsed = lineSchema.safeParse(value);
  if (!parsed.success) {
    const isPrompt = z.object({ type: z.literal("user") }).safeParse(value).success;
    return isPrompt
      ? { kind: "fatal", error: `a prompt without a message: ${z.prettifyError(parsed.error)}` }
      : { kind: "ignored" };
  }
  const { data } = parsed;
  switch (data.type) {
    case "user":
      return { kind: "prompt", uuid: data.uuid ?? null, text: textOf(data.message.content) };
    case "control_request":
      return { kind: "request", id: data.request_id, request: data.request };
    case "control_response": {
      const { request_id: id, response } = data.response;
      const allow = response?.behavior === "allow";
      return { kind: "decision", id, allow, reason: response?.message ?? "denied" };
    }
  }
}

function textOf(content: string | readonly z.infer<typeof blockSchema>[]): string {
  if (typeof content === "string") return content;
  return content.map((block) => block.text ?? "").join("\n");
}
