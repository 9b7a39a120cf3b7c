import { z } from "zod";
import { createRefusal } from "../../core/errors.js";
import { REASONING_EFFORTS } from "../../core/generation-request.js";
import { boundedArray } from "../../validation/bounded-collections.js";
import { integerBetween, nonEmptyText, oneOf, text, trueOrFalse } from "../../validation/fields.js";
import {
  booleanParameter,
  integerParameter,
  nonEmptyParameter,
} from "../../validation/parameters.js";
import { preview } from "../../validation/preview.js";
import { priorityField } from "../fields/generation-fields.js";
import { MAX_METADATA_LENGTH, metadataField } from "../fields/metadata.js";
import { allowNullWhereOptional } from "../fields/nulls.js";
import { samplingFields } from "../fields/sampling.js";
import { DEFAULT_LIMIT, MAX_LIMIT } from "./conversation-items.js";
import { searchParameters } from "./conversation-search.js";
import { inputItems, responseInput } from "./input-items.js";
import { responseToolChoice, responseTools } from "./tools.js";

const UNBOUNDED = Number.POSITIVE_INFINITY;

/** Limit of OpenAI's API. */
const MAX_INCLUDES = 100;

/** Maximum characters of a metadata value of a conversation, which may hold its instructions. */
const MAX_CONVERSATION_VALUE_LENGTH = 16_384;

const conversationMetadata = metadataField(MAX_CONVERSATION_VALUE_LENGTH);

/**
 * Values of `include`. Values for tools that this server does not have are accepted, and have no
 * effect.
 */
const INCLUDE_VALUES = [
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
    description: "Format of the text. A schema is always enforced, even without `strict`.",
  });

/**
 * Body of `POST /v1/responses`, after nulls, which mean absent, have been removed. Unknown fields
 * are ignored. Known but unsupported fields are rejected with an error that names the parameter
 * (see `rejectUnsupportedParameters`).
 */
export const responseRequest = z
  .looseObject(
    {
      model: nonEmptyText()
        .optional()
        .meta({ description: "Name of the model. Default: the first served model." }),
      input: responseInput.optional(),
      instructions: text().optional().meta({
        description: "System message before the whole conversation. Not stored.",
      }),
      previous_response_id: nonEmptyText().optional().meta({
        description: "Id of a stored response whose conversation continues.",
      }),
      conversation: z
        .union([nonEmptyText(), z.looseObject({ id: nonEmptyText() })], {
          error: "expected the id of a conversation",
        })
        .optional()
        .meta({ description: "Id of a stored conversation to which input and output are added." }),
      continue_final_message: trueOrFalse().optional().meta({
        description:
          "Whether a final assistant message is continued instead of followed by another one. Default: `false`.",
      }),
      tools: responseTools.optional(),
      tool_choice: responseToolChoice.optional(),
      parallel_tool_calls: trueOrFalse().optional().meta({
        description:
          "Whether the answer may contain several tool calls. With `false` it ends after the first.",
      }),
      max_tool_calls: integerBetween(1, UNBOUNDED).optional().meta({
        description: "Maximum number of calls of MCP servers' tools. At most, and by default, 32.",
      }),
      max_output_tokens: integerBetween(1, UNBOUNDED)
        .optional()
        .meta({ description: "Maximum number of tokens to generate, including reasoning." }),
      ...samplingFields(),
      top_logprobs: integerBetween(0, 20).optional().meta({
        description: "Number of most probable tokens to report per token.",
      }),
      include: boundedArray(
        z.array(oneOf(INCLUDE_VALUES), { error: "expected an array of strings" }),
        {
          max: MAX_INCLUDES,
          of: "texts",
        },
      )
        .optional()
        .meta({ description: "Additional output to include." }),
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
                "Reasoning effort, if the chat template supports it. `none`: no reasoning.",
            }),
            summary: oneOf(["auto", "concise", "detailed"]).nullish().meta({
              description: "Returns the reasoning as a summary instead of as content.",
            }),
          },
          { error: "expected an object" },
        )
        .optional(),
      truncation: oneOf(["auto", "disabled"]).optional(),
      metadata: metadataField(MAX_METADATA_LENGTH).optional(),
      user: text().optional(),
      safety_identifier: text().optional(),
      prompt_cache_key: text().optional(),
      service_tier: text().optional(),
      priority: priorityField(),
      store: trueOrFalse()
        .optional()
        .meta({ description: "Whether to store the response. Default: `true`." }),
      background: trueOrFalse().optional().meta({
        description:
          "Whether to generate in the background. The request returns immediately, and generation continues without the client.",
      }),
      stream: trueOrFalse()
        .optional()
        .meta({ description: "Whether to stream the answer as server-sent events." }),
      stream_options: z
        .looseObject(
          { include_obfuscation: trueOrFalse().optional() },
          { error: "expected an object" },
        )
        .optional()
        .meta({ override: allowNullWhereOptional }),
    },
    { error: "expected a JSON object" },
  )
  .meta({
    id: "ResponseRequest",
    description:
      "Optional fields may be `null`, which counts as absent. Unknown fields are ignored.",
    override: allowNullWhereOptional,
  });

export type ResponseRequest = z.output<typeof responseRequest>;
export type TextFormat = z.output<typeof textFormat>;

/** Query of `GET /v1/conversations`. */
export const conversationListQuery = z.looseObject({
  limit: integerParameter(1, MAX_LIMIT)
    .optional()
    .meta({ description: `Maximum number of conversations. Default: ${DEFAULT_LIMIT}.` }),
  order: oneOf(["asc", "desc"])
    .optional()
    .meta({ description: "Order by last change. Default: `desc`, latest first." }),
  after: nonEmptyParameter()
    .optional()
    .meta({ description: "Id of the last conversation of the previous page." }),
  ...searchParameters,
});

/** The end of the year 9999. */
const LATEST_UNIX_SECONDS = 253_402_300_799;

/** Schema of a time in a request, in Unix seconds. */
const givenTime = () => integerBetween(0, LATEST_UNIX_SECONDS);

/** Query of `GET /v1/responses/{id}`. */
export const responseQuery = z.looseObject({
  stream: booleanParameter().optional().meta({
    description:
      "Whether to stream the events of a response that was created with `background` and `stream`.",
  }),
  starting_after: integerParameter(0, Number.MAX_SAFE_INTEGER).optional().meta({
    description: "The `sequence_number` of the last event received. The stream continues after it.",
  }),
});

/** Body of `POST /v1/conversations`, after nulls, which mean absent, have been removed. */
export const newConversation = z
  .looseObject(
    {
      items: inputItems.optional(),
      metadata: conversationMetadata.optional(),
      created_at: givenTime().optional().meta({
        description:
          "Unix time in seconds of the creation of a conversation from elsewhere. Default: `updated_at`; at most the current time.",
      }),
      updated_at: givenTime().optional().meta({
        description:
          "Unix time in seconds of its last change, which determines its place in the list. Default, and maximum: the current time.",
      }),
    },
    { error: "expected a JSON object" },
  )
  .meta({ id: "NewConversation", override: allowNullWhereOptional });

/** Body of `POST /v1/conversations/{id}`, after nulls have been removed. */
export const conversationChange = z
  .looseObject(
    {
      metadata: conversationMetadata.optional(),
      updated_at: givenTime().optional().meta({
        description:
          "Unix time in seconds to record as the time of the last change. With the present value, the conversation keeps its place in the list. Default, and maximum: the current time.",
      }),
    },
    { error: "expected a JSON object" },
  )
  .meta({ id: "ConversationChange", override: allowNullWhereOptional });

/** Body of `POST /v1/conversations/{id}/items`. */
export const newItems = z
  .looseObject({ items: inputItems }, { error: "expected a JSON object" })
  .meta({ id: "NewConversationItems" });

/** Parameters that this server cannot honour. */
const UNSUPPORTED_PARAMETERS = ["prompt", "context_management", "moderation"];

/**
 * Rejects parameters that cannot be honoured instead of silently ignoring them.
 * @throws {GgufdError} `unsupported_parameter`; `invalid_request` for parameters that contradict
 *   each other
 */
export function rejectUnsupportedParameters(body: ResponseRequest): void {
  for (const name of UNSUPPORTED_PARAMETERS) {
    const value = body[name];
    if (value === undefined) continue;
    const reason = `expected no such parameter, got ${preview(value)}, which is not supported yet`;
    throw createRefusal("unsupported_parameter", [{ field: name, reason }]);
  }
  if (body.background && body.store === false) {
    const reason = "expected true, because background is true, got false";
    throw createRefusal("invalid_request", [{ field: "store", reason }]);
  }
  if (body.conversation !== undefined && body.previous_response_id !== undefined) {
    const reason =
      "expected no value in addition to previous_response_id, which determines the conversation";
    throw createRefusal("invalid_request", [{ field: "conversation", reason }]);
  }
}
