/**
 * Schemas of the responses, from which their types are inferred. A test checks the types against
 * Anthropic's client. Fields that are always null are Anthropic's, for features that this server
 * does not have.
 */
import { z } from "zod";

const count = (description: string) => z.int().nonnegative().meta({ description });

const messageDeltaUsage = z
  .object({
    input_tokens: count("Prompt tokens that were evaluated."),
    cache_creation_input_tokens: z.literal(0),
    cache_read_input_tokens: count("Prompt tokens read from the cache."),
    output_tokens: count("All sampled tokens, including the end-of-generation token."),
    output_tokens_details: z.object({
      thinking_tokens: count("Output tokens spent on thinking."),
    }),
    server_tool_use: z.null(),
  })
  .meta({ id: "MessageDeltaUsage", description: "Token usage of a message." });

export type MessageDeltaUsage = z.infer<typeof messageDeltaUsage>;

const messageUsage = z
  .object({
    ...messageDeltaUsage.shape,
    cache_creation: z.object({
      ephemeral_1h_input_tokens: z.literal(0),
      ephemeral_5m_input_tokens: z.literal(0),
    }),
    inference_geo: z.null(),
    service_tier: z.literal("standard"),
    speed: z.null(),
  })
  .meta({ id: "MessageUsage", description: "Token usage of a message." });

export type MessageUsage = z.infer<typeof messageUsage>;

const contentBlock = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("text"), text: z.string(), citations: z.array(z.never()) }),
    z.object({
      type: z.literal("thinking"),
      thinking: z.string(),
      signature: z.string().meta({ description: "Opaque." }),
    }),
    z.object({
      type: z.literal("tool_use"),
      id: z.string(),
      name: z.string(),
      input: z.record(z.string(), z.unknown()).meta({
        description: "Empty if the token limit truncated the call.",
      }),
      caller: z.object({ type: z.literal("direct") }),
    }),
  ])
  .meta({ id: "MessageContentBlock" });

export type ContentBlock = z.infer<typeof contentBlock>;

const endingFields = {
  stop_reason: z
    .enum(["end_turn", "max_tokens", "stop_sequence", "tool_use"])
    .nullable()
    .meta({ description: "`null` in `message_start`." }),
  stop_sequence: z
    .string()
    .nullable()
    .meta({ description: "The stop sequence that ended the message." }),
  stop_details: z.null(),
  container: z.null(),
};

/** Message that is not streamed, or the beginning of a streamed one. */
export const message = z
  .object({
    id: z.string(),
    type: z.literal("message"),
    role: z.literal("assistant"),
    model: z.string().meta({ description: "Name of the served model." }),
    content: z.array(contentBlock),
    ...endingFields,
    diagnostics: z.null(),
    usage: messageUsage,
  })
  .meta({ id: "Message" });

export type Message = z.infer<typeof message>;

const index = count("Index of the block in the message.");

const messageStreamEvent = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("message_start"), message }),
    z.object({ type: z.literal("content_block_start"), index, content_block: contentBlock }),
    z.object({
      type: z.literal("content_block_delta"),
      index,
      delta: z.discriminatedUnion("type", [
        z.object({ type: z.literal("text_delta"), text: z.string() }),
        z.object({ type: z.literal("thinking_delta"), thinking: z.string() }),
        z.object({ type: z.literal("signature_delta"), signature: z.string() }),
        z.object({ type: z.literal("input_json_delta"), partial_json: z.string() }),
      ]),
    }),
    z.object({ type: z.literal("content_block_stop"), index }),
    z.object({
      type: z.literal("message_delta"),
      delta: z.object(endingFields),
      usage: messageDeltaUsage,
    }),
    z.object({ type: z.literal("message_stop") }),
  ])
  .meta({ id: "MessageStreamEvent" });

export type MessageStreamEvent = z.infer<typeof messageStreamEvent>;

export const messagesError = z
  .object({
    type: z.literal("error"),
    error: z.object({
      type: z.string().meta({ description: "Anthropic's error type." }),
      message: z.string().meta({ description: "The expected value and the received one." }),
      details: z
        .object({ error_code: z.string() })
        .optional()
        .meta({ description: "Error code of ggufd, for clients that handle errors." }),
    }),
    request_id: z.string().meta({ description: "Same as the header `request-id`." }),
  })
  .meta({ id: "MessagesError" });

export type MessagesErrorBody = z.infer<typeof messagesError>;

/** Data of a stream event: a part of the message, a ping, or the error that ends the stream. */
export const messagesEvent = z
  .union([messageStreamEvent, z.object({ type: z.literal("ping") }), messagesError])
  .meta({ id: "MessagesEvent" });

export const messageTokensCount = z
  .object({ input_tokens: count("Tokens of the whole prompt, cached or not.") })
  .meta({ id: "MessageTokensCount" });

export type MessageTokensCount = z.infer<typeof messageTokensCount>;
