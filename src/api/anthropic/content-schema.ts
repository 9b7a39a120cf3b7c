import { z } from "zod";
import { isJsonObject } from "../../core/json.js";
import { boundedArray } from "../../validation/bounded-collections.js";
import { nonEmptyText, text, trueOrFalse } from "../../validation/fields.js";
import { keepIdentity } from "../../validation/keep-identity.js";

/** Far above typical requests, and validated within milliseconds. */
const MAX_BLOCKS = 1_000;

const textBlock = z
  .looseObject({ type: z.literal("text"), text: text() })
  .meta({ id: "MessagesTextBlock" });

const contentError = "expected a string or an array of content blocks";

/** Schema of a string or an array of content blocks. */
function content<Blocks extends z.ZodArray>(blocks: Blocks) {
  const bounded = boundedArray(blocks, { max: MAX_BLOCKS, of: "content blocks" });
  return z.union([z.string(), bounded], {
    error: ({ input }) =>
      Array.isArray(input) && input.length > MAX_BLOCKS
        ? `expected at most ${MAX_BLOCKS} content blocks`
        : contentError,
  });
}

/** String, or text blocks. */
export const textContent = content(
  z.array(
    z.discriminatedUnion("type", [textBlock], {
      error: ({ input }) => describeExpectedContent(["text"], input),
    }),
  ),
);

const imageBlock = z
  .looseObject({
    type: z.literal("image"),
    source: z
      .discriminatedUnion(
        "type",
        [
          z.looseObject({
            type: z.literal("base64"),
            media_type: text()
              .nullish()
              .meta({ description: "Ignored: the format is detected from the content." }),
            data: nonEmptyText(),
          }),
          z.looseObject({
            type: z.literal("url"),
            url: nonEmptyText().meta({
              description: "A data URL, or an https URL of a host that `--media-fetch` allows.",
            }),
          }),
        ],
        { error: ({ input }) => describeExpectedSource(input) },
      )
      .meta({ description: "The file, in base64 or by URL." }),
  })
  .meta({ id: "MessagesImageBlock", description: "An image, for models with image input." });

const toolUseBlock = z
  .looseObject({
    type: z.literal("tool_use"),
    id: nonEmptyText(),
    name: nonEmptyText(),
    input: keepIdentity(z.record(z.string(), z.unknown(), { error: "expected an object" })),
  })
  .meta({ id: "MessagesToolUseBlock", description: "An earlier tool call of the assistant." });

const toolReferenceBlock = z
  .looseObject({ type: z.literal("tool_reference"), tool_name: nonEmptyText() })
  .meta({
    id: "MessagesToolReferenceBlock",
    description:
      "A tool of the request with `defer_loading`, which the model may call from then on.",
  });

/** String, or blocks of text, images and tool references. */
const toolResultContent = content(
  z.array(
    z.discriminatedUnion("type", [textBlock, imageBlock, toolReferenceBlock], {
      error: ({ input }) => describeExpectedContent(["text", "image", "tool_reference"], input),
    }),
  ),
);

const toolResultBlock = z
  .looseObject({
    type: z.literal("tool_result"),
    tool_use_id: nonEmptyText(),
    content: toolResultContent.nullish(),
    is_error: trueOrFalse().nullish(),
  })
  .meta({ id: "MessagesToolResultBlock", description: "The result of a tool call." });

const thinkingBlock = z
  .looseObject({
    type: z.literal("thinking"),
    thinking: text(),
    signature: text().nullish().meta({
      description: "Not verified. Holds the text of a block whose `thinking` was omitted.",
    }),
  })
  .meta({ id: "MessagesThinkingBlock", description: "Earlier thinking of the assistant." });

const redactedThinkingBlock = z
  .looseObject({ type: z.literal("redacted_thinking"), data: text().nullish() })
  .meta({ id: "MessagesRedactedThinkingBlock", description: "Ignored." });

const userContent = content(
  z.array(
    z.discriminatedUnion("type", [textBlock, imageBlock, toolResultBlock], {
      error: ({ input }) => describeExpectedContent(["text", "image", "tool_result"], input),
    }),
  ),
);

const assistantContent = content(
  z.array(
    z.discriminatedUnion("type", [textBlock, thinkingBlock, redactedThinkingBlock, toolUseBlock], {
      error: ({ input }) =>
        describeExpectedContent(["text", "thinking", "redacted_thinking", "tool_use"], input),
    }),
  ),
);

/** Message of the conversation. */
export const message = z
  .discriminatedUnion(
    "role",
    [
      z
        .looseObject({ role: z.literal("user"), content: userContent })
        .meta({ id: "MessagesUserMessage" }),
      z
        .looseObject({ role: z.literal("assistant"), content: assistantContent })
        .meta({ id: "MessagesAssistantMessage" }),
      z
        .looseObject({ role: z.literal("system"), content: textContent })
        .meta({ id: "MessagesSystemMessage" }),
    ],
    {
      error: ({ input }) =>
        typeof input === "object" && input !== null
          ? "expected one of user, assistant, system"
          : "expected a message object",
    },
  )
  .meta({ id: "MessagesMessage" });

export type RequestMessage = z.output<typeof message>;
export type UserMessage = Extract<RequestMessage, { role: "user" }>;
export type AssistantMessage = Extract<RequestMessage, { role: "assistant" }>;
export type TextContent = z.output<typeof textContent>;
export type TextBlock = z.output<typeof textBlock>;
export type ImageBlock = z.output<typeof imageBlock>;
export type ToolReferenceBlock = z.output<typeof toolReferenceBlock>;
export type ToolResultBlock = z.output<typeof toolResultBlock>;
export type ToolUseBlock = z.output<typeof toolUseBlock>;

/** Reasons for refusing blocks, by type. */
const REFUSAL_REASONS: ReadonlyMap<unknown, string> = new Map([
  ["image", "images are accepted only in user messages and tool results"],
  ["document", "documents are not supported"],
  ["search_result", "search results are not supported"],
  ["container_upload", "this server has no containers"],
]);

/** Explains why an image's source is refused. */
function describeExpectedSource(source: unknown): string {
  const expected = "expected one of base64, url";
  if (!isJsonObject(source)) return "expected a source";
  return source.type === "file" ? `${expected}, because this server stores no files` : expected;
}

/**
 * Explains why a content block is refused.
 * @param types types that are accepted at this position
 * @param block block as sent by the client
 */
function describeExpectedContent(types: readonly string[], block: unknown): string {
  if (!isJsonObject(block)) return "expected a content block";
  const expected = `expected ${types.length === 1 ? "" : "one of "}${types.join(", ")}`;
  const reason = REFUSAL_REASONS.get(block.type);
  return reason === undefined ? expected : `${expected}, because ${reason}`;
}
