import { z } from "zod";
import { boundedArray, boundedRecord } from "../../../validation/bounded-collections.js";
import {
  integerBetween,
  nonEmptyText,
  numberBetween,
  oneOf,
  text,
  trueOrFalse,
} from "../../../validation/fields.js";
import { priorityField } from "../generation-fields.js";
import { nullableWhereOptional } from "../nulls.js";
import { REASONING_EFFORTS } from "../schema.js";
import { responseInput } from "./item-schema.js";
import { responseToolChoice, responseTools } from "./tool-schema.js";

const UNBOUNDED = Number.POSITIVE_INFINITY;

/** As OpenAI bounds them. */
const MAX_PAIRS = 16;
const MAX_KEY_LENGTH = 64;
const MAX_VALUE_LENGTH = 512;
const MAX_INCLUDES = 100;

const valueError = `expected a string of at most ${MAX_VALUE_LENGTH} characters`;

/** Pairs of texts that are kept with a response or a conversation. */
export const metadata = boundedRecord(
  z.record(
    z.string().max(MAX_KEY_LENGTH),
    z.string({ error: valueError }).max(MAX_VALUE_LENGTH, { error: valueError }),
    {
      error: ({ code }) =>
        code === "invalid_key"
          ? `expected keys of at most ${MAX_KEY_LENGTH} characters`
          : "expected an object of texts",
    },
  ),
  { max: MAX_PAIRS, of: "pairs" },
);

/** What of an answer is reported besides; the others belong to tools that this server does not have. */
const INCLUDABLE = [
  "message.output_text.logprobs",
  "reasoning.encrypted_content",
  "web_search_call.action.sources",
  "web_search_call.results",
  "code_interpreter_call.outputs",
  "computer_call_output.output.image_url",
  "file_search_call.results",
  "message.input_image.image_url",
] as const;

const textFormat = z
  .discriminatedUnion(
    "type",
    [
      z.looseObject({ type: z.literal("text") }),
      z.looseObject({ type: z.literal("json_object") }),
      z.looseObject({
        type: z.literal("json_schema"),
        name: text().nullish(),
        description: text().nullish(),
        schema: z.record(z.string(), z.unknown(), { error: "expected a JSON schema" }),
        strict: trueOrFalse().nullish(),
      }),
    ],
    {
      error: ({ input }) =>
        typeof input === "object" && input !== null
          ? "expected one of text, json_object, json_schema"
          : "expected an object",
    },
  )
  .meta({
    id: "ResponseTextFormat",
    description: "What the text must be. Schemas are held exactly, also without strict.",
  });

/**
 * The body of `POST /v1/responses`. Nulls, which mean absent, have been removed. Unknown fields are
 * ignored; known but unsupported ones are rejected with an error that names the parameter (see
 * `unsupported-parameters.ts`).
 */
export const responseRequest = z
  .looseObject(
    {
      model: nonEmptyText()
        .optional()
        .meta({ description: "The model's name. Default: the served model." }),
      input: responseInput.optional(),
      instructions: text().optional().meta({
        description: "A system message in front of everything; not part of what is kept.",
      }),
      previous_response_id: nonEmptyText().optional().meta({
        description: "A stored response, whose conversation goes on.",
      }),
      conversation: z
        .union([nonEmptyText(), z.looseObject({ id: nonEmptyText() })], {
          error: "expected the id of a conversation",
        })
        .optional()
        .meta({ description: "A stored conversation, to which input and output are added." }),
      tools: responseTools.optional(),
      tool_choice: responseToolChoice.optional(),
      parallel_tool_calls: trueOrFalse()
        .optional()
        .meta({ description: "false: the answer ends after its first call." }),
      max_tool_calls: integerBetween(1, UNBOUNDED).optional().meta({
        description: "Limits calls of hosted tools, of which there are none: without effect.",
      }),
      max_output_tokens: integerBetween(1, UNBOUNDED)
        .optional()
        .meta({ description: "Maximum number of tokens to generate, reasoning included." }),
      temperature: numberBetween(0, 2).optional().meta({ description: "0: greedy sampling." }),
      top_p: numberBetween(0, 1).optional(),
      top_logprobs: integerBetween(0, 20).optional().meta({
        description: "Number of most probable tokens that are reported for each token.",
      }),
      include: boundedArray(z.array(oneOf(INCLUDABLE), { error: "expected an array of texts" }), {
        max: MAX_INCLUDES,
        of: "texts",
      })
        .optional()
        .meta({ description: "What is reported besides." }),
      text: z
        .looseObject(
          { format: textFormat.nullish(), verbosity: oneOf(["low", "medium", "high"]).nullish() },
          { error: "expected an object" },
        )
        .optional(),
      reasoning: z
        .looseObject(
          {
            effort: oneOf(REASONING_EFFORTS).nullish().meta({
              description:
                "How much the model is to think, if its chat template reads it. none: not at all.",
            }),
            summary: oneOf(["auto", "concise", "detailed"]).nullish().meta({
              description: "The reasoning is reported as a summary instead of as its content.",
            }),
          },
          { error: "expected an object" },
        )
        .optional(),
      truncation: oneOf(["auto", "disabled"]).optional(),
      metadata: metadata.optional(),
      user: text().optional(),
      safety_identifier: text().optional(),
      prompt_cache_key: text().optional(),
      service_tier: text().optional(),
      priority: priorityField(),
      store: trueOrFalse().optional().meta({ description: "false: the response is not kept." }),
      background: trueOrFalse().optional().meta({
        description: "true: it is answered at once, and generated regardless of clients.",
      }),
      stream: trueOrFalse().optional().meta({ description: "true: server-sent events." }),
      stream_options: z
        .looseObject(
          { include_obfuscation: trueOrFalse().optional() },
          { error: "expected an object" },
        )
        .optional()
        .meta({ override: nullableWhereOptional }),
    },
    { error: "expected a JSON object" },
  )
  .meta({
    id: "ResponseRequest",
    description: "null means absent for every optional field. Unknown fields are ignored.",
    override: nullableWhereOptional,
  });

export type ResponseRequest = z.output<typeof responseRequest>;
export type TextFormat = z.output<typeof textFormat>;
