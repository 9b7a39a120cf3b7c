import assert from "node:assert/strict";
import { z } from "zod";
import { createRefusal, GgufdError, shortenName } from "../../core/errors.js";
import { MAX_MESSAGES } from "../../core/prompt-size.js";
import { boundedArray } from "../../validation/bounded-collections.js";
import { nonEmptyText, oneOf, text } from "../../validation/fields.js";
import { audioField } from "../fields/audio.js";
import { fileFields } from "../fields/documents.js";
import { rejectLongConversation } from "./conversation-items.js";
import { createId } from "./create-id.js";
import { toContent } from "./input-content.js";
import { IMAGE_DETAILS, type InputPart, type StoredItem } from "./item-schema.js";
import { MCP_ITEM_TYPES, mcpInputItems, toMcpItem } from "./mcp-items.js";
import { publishedItems, toPublishedItem } from "./published-input.js";
import { PUBLISHED_TYPES } from "./published-tools.js";
import { keepResponseMetadata } from "./response-metadata.js";
import type { ToolName } from "./tools.js";

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Maximum length of a list of parts: far above typical requests, yet validated in milliseconds. */
const MAX_PARTS = 1_000;

const INPUT_TYPES = ["input_text", "input_image", "input_audio", "input_file"] as const;
const PART_TYPES = [...INPUT_TYPES, "output_text", "refusal"] as const;
const ITEM_TYPES = [
  "message",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  ...PUBLISHED_TYPES.flatMap((type) => [`${type}_call`, `${type}_call_output`]),
  ...MCP_ITEM_TYPES,
  "reasoning",
  "item_reference",
];

const itemId = nonEmptyText().nullish();

const inputText = z
  .looseObject({ type: z.literal("input_text"), text: text() })
  .meta({ id: "ResponseInputText" });
const outputText = z
  .looseObject({ type: z.literal("output_text"), text: text() })
  .meta({ id: "ResponseEarlierText" });
const refusal = z
  .looseObject({ type: z.literal("refusal"), refusal: text() })
  .meta({ id: "ResponseEarlierRefusal" });

const imageError = "expected a data or https URL, because this server stores no files";

const inputImage = z
  .looseObject({
    type: z.literal("input_image"),
    image_url: z.string({ error: imageError }).min(1, { error: imageError }).meta({
      description:
        "`data:TYPE;base64,CONTENT`, or an https URL of a host that `--media-fetch` allows; it is fetched on each use.",
    }),
    detail: oneOf(IMAGE_DETAILS).nullish().meta({
      description: "Ignored: the model's projector decides.",
    }),
  })
  .refine(({ file_id: id }) => id === undefined || id === null, {
    path: ["file_id"],
    error: "expected none, because this server stores no files",
  })
  .meta({ id: "ResponseInputImage", description: "An image, for models with image input." });

const inputAudio = z
  .looseObject({ type: z.literal("input_audio"), input_audio: audioField })
  .meta({ id: "ResponseInputAudio", description: "Audio, for models with audio input." });

const inputFile = z
  .looseObject({
    type: z.literal("input_file"),
    file_url: z
      .literal(null, { error: "expected none, because this server fetches no documents" })
      .optional(),
    ...fileFields,
  })
  .meta({ id: "ResponseInputFile", description: "A text file, which becomes part of the prompt." });

const part = z.discriminatedUnion(
  "type",
  [inputText, inputImage, inputAudio, inputFile, outputText, refusal],
  { error: `expected one of ${PART_TYPES.join(", ")}` },
);

/** Schema of a string or an array of parts. */
function textOrParts<Part extends z.ZodType>(item: Part) {
  return z.union([z.string(), boundedArray(z.array(item), { max: MAX_PARTS, of: "parts" })], {
    error: ({ input }) =>
      Array.isArray(input) && input.length > MAX_PARTS
        ? `expected at most ${MAX_PARTS} parts`
        : "expected a string or an array of parts",
  });
}

const message = z
  .looseObject({
    type: z.literal("message").optional(),
    id: itemId,
    role: oneOf(["user", "system", "developer", "assistant"]),
    content: textOrParts(part).meta({
      description:
        "A text, or parts: texts, and images, audio and text files in user messages. Consecutive texts are joined with a line break.",
    }),
  })
  .meta({ id: "ResponseInputMessage" });

const functionCall = z
  .looseObject({
    type: z.literal("function_call"),
    id: itemId,
    call_id: nonEmptyText(),
    name: nonEmptyText(),
    namespace: nonEmptyText().nullish(),
    arguments: text().meta({ description: "The arguments, as a JSON string." }),
  })
  .meta({ id: "ResponseEarlierCall", description: "An earlier tool call of the assistant." });

const customToolCall = z
  .looseObject({
    type: z.literal("custom_tool_call"),
    id: itemId,
    call_id: nonEmptyText(),
    name: nonEmptyText(),
    namespace: nonEmptyText().nullish(),
    input: text(),
  })
  .meta({
    id: "ResponseEarlierCustomCall",
    description: "An earlier custom tool call of the assistant.",
  });

const callOutput = {
  id: itemId,
  call_id: nonEmptyText().meta({ description: "The `call_id` of an earlier tool call." }),
  output: textOrParts(
    z.discriminatedUnion("type", [inputText, inputImage, inputAudio, inputFile], {
      error: `expected one of ${INPUT_TYPES.join(", ")}`,
    }),
  ),
};
const functionCallOutput = z
  .looseObject({ type: z.literal("function_call_output"), ...callOutput })
  .meta({ id: "ResponseCallOutput", description: "The result of a tool call." });
const customToolCallOutput = z
  .looseObject({ type: z.literal("custom_tool_call_output"), ...callOutput })
  .meta({ id: "ResponseCustomCallOutput", description: "The result of a custom tool call." });

/** Schema of text parts of one type, as in reasoning items. */
function textsOfType<const Type extends string>(type: Type) {
  const entry = z.looseObject({ type: z.literal(type), text: text() });
  return boundedArray(z.array(entry, { error: "expected an array of strings" }), {
    max: MAX_PARTS,
    of: "texts",
  });
}

const reasoning = z
  .looseObject({
    type: z.literal("reasoning"),
    id: itemId,
    summary: textsOfType("summary_text").nullish(),
    content: textsOfType("reasoning_text").nullish(),
    encrypted_content: text().nullish().meta({
      description: "Reasoning as returned by this server; used if there is no other text.",
    }),
  })
  .meta({ id: "ResponseEarlierReasoning" });

const itemReference = z
  .looseObject({ type: z.literal("item_reference"), id: nonEmptyText() })
  .meta({ id: "ResponseItemReference", description: "An item of a stored response." });

const item = z
  .discriminatedUnion(
    "type",
    [
      message,
      functionCall,
      functionCallOutput,
      customToolCall,
      customToolCallOutput,
      ...publishedItems,
      ...mcpInputItems,
      reasoning,
      itemReference,
    ],
    {
      error: ({ input }) =>
        typeof input === "object" && input !== null
          ? `expected one of ${ITEM_TYPES.join(", ")}`
          : "expected an item",
    },
  )
  .meta({ id: "ResponseInputItem", override: describeAsAnyOf });

/**
 * Describes the items as `anyOf`: a message may omit its type, so the type cannot be the
 * discriminator.
 */
function describeAsAnyOf({ jsonSchema }: { readonly jsonSchema: JsonSchema }): void {
  jsonSchema.anyOf = jsonSchema.oneOf;
  delete jsonSchema.oneOf;
  delete jsonSchema.discriminator;
}

export const inputItems = boundedArray(z.array(item, { error: "expected an array of items" }), {
  max: MAX_MESSAGES,
  of: "items",
});

/** Input of a response: the user's text, or items. */
export const responseInput = z
  .union([z.string(), inputItems], {
    error: ({ input }) =>
      Array.isArray(input) && input.length > MAX_MESSAGES
        ? `expected at most ${MAX_MESSAGES} items`
        : "expected a string or an array of items",
  })
  .meta({
    description:
      "A user message as text, or items: messages, tool calls, tool results and reasoning.",
  });

type InputItem = z.output<typeof inputItems>[number];

/** Finds a stored item by its id. */
type FindItem = (id: string) => StoredItem | undefined;

type CallOutput = Extract<InputItem, { type: "function_call_output" | "custom_tool_call_output" }>;
type Message = Extract<InputItem, { role: unknown }>;
type Part = Exclude<Message["content"], string>[number];
type OutputPart = Exclude<CallOutput["output"], string>[number];

/**
 * Translates the input of a request to storable items: assigns ids, and resolves references.
 * @param field request field that holds the input, for errors
 * @throws {GgufdError} `not_found` for a reference to an item that is not stored, `invalid_request`
 *   for more references than a conversation may have, for images, audio and files outside of
 *   user messages, and for files that are not UTF-8 text
 */
export function toItems(
  input: z.output<typeof responseInput>,
  findItem: FindItem,
  field: "input" | "items",
): readonly StoredItem[] {
  if (typeof input === "string") return [toMessage({ role: "user", content: input })];
  const items = input.map((given, index) => {
    const path = `${field}.${index}`;
    const item = toItem(given, path, findItem);
    const isNew = field === "items" && given.type !== "item_reference";
    return isNew ? keepResponseMetadata(item, given, path) : item;
  });
  const isStored = (_item: StoredItem, index: number) => input[index]?.type === "item_reference";
  for (const [index, item] of items.entries()) {
    if (!isStored(item, index)) rejectUnreadableFiles(item, `${field}.${index}`);
  }
  const ownItems = items.filter((item, index) => !isStored(item, index));
  rejectLongConversation(items.filter(isStored), ownItems, field);
  return items;
}

function toItem(item: InputItem, path: string, findItem: FindItem): StoredItem {
  switch (item.type) {
    case "message":
    case undefined:
      rejectMedia(item, `${path}.content`);
      return toMessage(item);
    case "function_call": {
      const { type, call_id, arguments: written } = item;
      const id = item.id ?? createId("fc");
      return { type, id, call_id, ...nameOf(item), arguments: written, status: "completed" };
    }
    case "custom_tool_call": {
      const { type, call_id, input } = item;
      const id = item.id ?? createId("ctc");
      return { type, id, call_id, ...nameOf(item), input, status: "completed" };
    }
    case "function_call_output":
      return { type: item.type, ...toOutput(item, "fco") };
    case "custom_tool_call_output":
      return { type: item.type, ...toOutput(item, "ctco") };
    case "reasoning": {
      const { summary, content, encrypted_content: opaque } = item;
      return {
        type: "reasoning",
        id: item.id ?? createId("rs"),
        summary: (summary ?? []).map(({ type, text }) => ({ type, text })),
        ...(content && { content: content.map(({ type, text }) => ({ type, text })) }),
        ...(opaque && { encrypted_content: opaque }),
      };
    }
    case "local_shell_call":
    case "local_shell_call_output":
    case "shell_call":
    case "shell_call_output":
    case "apply_patch_call":
    case "apply_patch_call_output":
      return toPublishedItem(item);
    case "mcp_list_tools":
    case "mcp_call":
    case "mcp_approval_request":
    case "mcp_approval_response":
      return toMcpItem(item);
    case "item_reference": {
      const found = findItem(item.id);
      if (found !== undefined) return found;
      throw new GgufdError(
        "not_found",
        `Item with id '${shortenName(item.id)}' not found: it was never stored, or has been removed. Send the item itself.`,
        { param: `${path}.id` },
      );
    }
  }
}

function nameOf({ name, namespace }: ToolName) {
  return { name, ...(namespace && { namespace }) };
}

function toOutput({ id, call_id, output }: CallOutput, prefix: "fco" | "ctco") {
  return {
    id: id ?? createId(prefix),
    call_id,
    output: typeof output === "string" ? output : output.map(toInputPart),
    status: "completed" as const,
  };
}

function toMessage({ id, role, content }: Pick<Message, "id" | "role" | "content">): StoredItem {
  const parts: readonly Part[] =
    typeof content === "string" ? [{ type: "input_text", text: content }] : content;
  const type = "message";
  const ownId = id ?? createId("msg");
  const status = "completed";
  return role === "assistant"
    ? { type, id: ownId, status, role, content: parts.map(toOutputPart) }
    : { type, id: ownId, status, role, content: parts.map(toInputPart) };
}

/** Parts that only messages of the user have, by type. */
const MEDIA_NAMES: ReadonlyMap<Part["type"], string> = new Map([
  ["input_image", "an image"],
  ["input_audio", "audio"],
  ["input_file", "a file"],
]);

function rejectMedia({ role, content }: Message, field: string): void {
  if (role === "user" || typeof content === "string") return;
  for (const [index, { type }] of content.entries()) {
    const got = MEDIA_NAMES.get(type);
    if (got === undefined) continue;
    const reason = `expected text in a message of the role ${role}, got ${got}`;
    throw createRefusal("invalid_request", [{ field: `${field}.${index}`, reason }]);
  }
}

/** Rejects files before they are stored: a conversation with them could not be continued. */
function rejectUnreadableFiles(item: StoredItem, path: string): void {
  if (item.type === "message" && item.role !== "assistant") {
    expectReadable(item.content, `${path}.content`);
  } else if (item.type === "function_call_output" || item.type === "custom_tool_call_output") {
    if (typeof item.output !== "string") expectReadable(item.output, `${path}.output`);
  }
}

function expectReadable(parts: readonly InputPart[], field: string): void {
  if (!parts.some(({ type }) => type === "input_file")) return;
  toContent(parts, (part) => `${field}.${part}`);
}

function toOutputPart(part: Part) {
  return part.type === "refusal"
    ? { type: part.type, refusal: part.refusal }
    : { type: "output_text" as const, text: textOf(part), annotations: [], logprobs: [] };
}

function toInputPart(part: Part | OutputPart): InputPart {
  switch (part.type) {
    case "input_image": {
      const { type, image_url, detail } = part;
      return { type, image_url, detail: detail ?? "auto" };
    }
    case "input_audio": {
      const { data, url, format } = part.input_audio;
      const audio = { ...(data && { data }), ...(url && { url }), ...(format && { format }) };
      return { type: part.type, input_audio: audio };
    }
    case "input_file": {
      const { type, filename, file_data } = part;
      return { type, ...(filename && { filename }), file_data };
    }
    default:
      return { type: "input_text", text: textOf(part) };
  }
}

function textOf(part: Part | OutputPart): string {
  switch (part.type) {
    case "refusal":
      return part.refusal;
    case "input_image":
    case "input_audio":
    case "input_file":
      return assert.fail(`${part.type} is no text`);
    default:
      return part.text;
  }
}
