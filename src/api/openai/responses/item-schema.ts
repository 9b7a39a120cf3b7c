import { z } from "zod";
import { MAX_MESSAGES } from "../../../core/prompt-size.js";
import { boundedArray } from "../../../validation/bounded-collections.js";
import { nonEmptyText, oneOf, text } from "../../../validation/fields.js";

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Bounds of collections: far above what clients send, and validated within milliseconds. */
const MAX_PARTS = 1_000;

const PART_TYPES = ["input_text", "output_text", "refusal"] as const;
const ITEM_TYPES = [
  "message",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "reasoning",
  "item_reference",
] as const;

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

const part = z.discriminatedUnion("type", [inputText, outputText, refusal], {
  error: `expected one of ${PART_TYPES.join(", ")}: this model reads text only`,
});

/** Text, or parts of it. */
function textOrParts<Part extends z.ZodType>(item: Part) {
  return z.union([z.string(), boundedArray(z.array(item), { max: MAX_PARTS, of: "parts" })], {
    error: ({ input }) =>
      Array.isArray(input) && input.length > MAX_PARTS
        ? `expected at most ${MAX_PARTS} parts`
        : "expected a string or an array of text parts",
  });
}

const message = z
  .looseObject({
    type: z.literal("message").optional(),
    id: itemId,
    role: oneOf(["user", "system", "developer", "assistant"]),
    content: textOrParts(part).meta({
      description: "Text, or text parts that are joined with a line break.",
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
    arguments: text().meta({ description: "JSON in a string." }),
  })
  .meta({ id: "ResponseEarlierCall", description: "A call that the assistant made earlier." });

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
    description: "A call of a custom tool that the assistant made earlier.",
  });

const callOutput = {
  id: itemId,
  call_id: nonEmptyText().meta({ description: "The `call_id` of an earlier call." }),
  output: textOrParts(
    z.discriminatedUnion("type", [inputText], {
      error: "expected input_text: this model reads text only",
    }),
  ),
};
const functionCallOutput = z
  .looseObject({ type: z.literal("function_call_output"), ...callOutput })
  .meta({ id: "ResponseCallOutput", description: "The result of a call." });
const customToolCallOutput = z
  .looseObject({ type: z.literal("custom_tool_call_output"), ...callOutput })
  .meta({ id: "ResponseCustomCallOutput", description: "The result of a custom tool's call." });

/** Texts of one type, as reasoning has them. */
function textsOfType<const Type extends string>(type: Type) {
  const entry = z.looseObject({ type: z.literal(type), text: text() });
  return boundedArray(z.array(entry, { error: "expected an array of texts" }), {
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
    encrypted_content: text()
      .nullish()
      .meta({ description: "As this server wrote it; read where there is no other text." }),
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
  .meta({ id: "ResponseInputItem", override: describedAsAnyOf });

/** A message may do without its type, so the described schemas are not told apart by it. */
function describedAsAnyOf({ jsonSchema }: { readonly jsonSchema: JsonSchema }): void {
  jsonSchema.anyOf = jsonSchema.oneOf;
  delete jsonSchema.oneOf;
  delete jsonSchema.discriminator;
}

/** Items of a request, without nulls in the place of items. */
export const inputItems = boundedArray(z.array(item, { error: "expected an array of items" }), {
  max: MAX_MESSAGES,
  of: "items",
});

/** The input of a response: text, the user's, or items. */
export const responseInput = z
  .union([z.string(), inputItems], {
    error: ({ input }) =>
      Array.isArray(input) && input.length > MAX_MESSAGES
        ? `expected at most ${MAX_MESSAGES} items`
        : "expected a string or an array of items",
  })
  .meta({ description: "The user's text, or items: messages, calls, their results, reasoning." });

export type InputItem = z.output<typeof inputItems>[number];
