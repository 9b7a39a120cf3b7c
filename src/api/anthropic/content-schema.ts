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
        { error: ({ input }) => describeExpectedSource(["base64", "url"], input) },
      )
      .meta({ description: "The file, in base64 or by URL." }),
  })
  .meta({ id: "MessagesImageBlock", description: "An image, for models with image input." });

const documentSource = z
  .discriminatedUnion(
    "type",
    [
      z.looseObject({ type: z.literal("text"), media_type: text().nullish(), data: text() }),
      z.looseObject({
        type: z.literal("base64"),
        media_type: text().nullish().meta({
          description: "Ignored, except `application/pdf`, which is refused.",
        }),
        data: nonEmptyText(),
      }),
      z.looseObject({
        type: z.literal("content"),
        content: content(
          z.array(
            z.discriminatedUnion("type", [textBlock, imageBlock], {
              error: ({ input }) => describeExpectedContent(["text", "image"], input),
            }),
          ),
        ),
      }),
    ],
    { error: ({ input }) => describeExpectedSource(["text", "base64", "content"], input) },
  )
  .meta({ description: "UTF-8 text, as such or in base64, or content blocks." });

const documentBlock = z
  .looseObject({
    type: z.literal("document"),
    source: documentSource,
    title: text().nullish(),
    context: text().nullish(),
  })
  .meta({
    id: "MessagesDocumentBlock",
    description: "A text file, which becomes part of the prompt with its title and context.",
  });

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

/** String, or blocks of text, images, documents and tool references. */
const toolResultContent = content(
  z.array(
    z.discriminatedUnion("type", [textBlock, imageBlock, documentBlock, toolReferenceBlock], {
      error: ({ input }) =>
        describeExpectedContent(["text", "image", "document", "tool_reference"], input),
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
    z.discriminatedUnion("type", [textBlock, imageBlock, documentBlock, toolResultBlock], {
      error: ({ input }) =>
        describeExpectedContent(["text", "image", "document", "tool_result"], input),
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
export type DocumentBlock = z.output<typeof documentBlock>;
export type ToolReferenceBlock = z.output<typeof toolReferenceBlock>;
export type ToolResultBlock = z.output<typeof toolResultBlock>;
export type ToolUseBlock = z.output<typeof toolUseBlock>;

/** Reasons for refusing blocks, by type. */
const REFUSAL_REASONS: ReadonlyMap<unknown, string> = new Map([
  ["image", "images are accepted only in user messages and tool results"],
  ["document", "documents are accepted only in user messages and tool results"],
  ["search_result", "search results are not supported"],
  ["container_upload", "this server has no containers"],
]);

/** Reasons for refusing sources of files, by type. */
const SOURCE_REFUSAL_REASONS: ReadonlyMap<unknown, string> = new Map([
  ["file", "this server stores no files"],
  ["url", "this server fetches no documents"],
]);

/**
 * Explains why the source of a file is refused.
 * @param types types that are accepted for this kind of file
 * @param source source as sent by the client
 */
function describeExpectedSource(types: readonly string[], source: unknown): string {
  if (!isJsonObject(source)) return "expected a source";
  return describeExpectedType(types, SOURCE_REFUSAL_REASONS.get(source.type));
}

/**
 * Explains why a content block is refused.
 * @param types types that are accepted at this position
 * @param block block as sent by the client
 */
function describeExpectedContent(types: readonly string[], block: unknown): string {
  if (!isJsonObject(block)) return "expected a content block";
  return describeExpectedType(types, REFUSAL_REASONS.get(block.type));
}

function describeExpectedType(types: readonly string[], reason: string | undefined): string {
  const expected = `expected ${types.length === 1 ? "" : "one of "}${types.join(", ")}`;
  return reason === undefined ? expected : `${expected}, because ${reason}`;
}
