import { z } from "zod";
import { createRefusal } from "../../core/errors.js";
import { isJsonObject } from "../../core/json.js";
import { MAX_MESSAGES } from "../../core/prompt-size.js";
import { boundedArray } from "../../validation/bounded-collections.js";
import {
  integerBetween,
  nonEmptyText,
  numberBetween,
  oneOf,
  text,
  trueOrFalse,
} from "../../validation/fields.js";
import { preview } from "../../validation/preview.js";
import { HOSTED_TOOL_DESCRIPTION, type HostedTool } from "../fields/hosted-tools.js";
import { message, textContent } from "./content-schema.js";
import { THREAD_FIELD } from "./error-envelope.js";
import { findPublishedTool, PUBLISHED_TYPES } from "./published-tools.js";

const UNBOUNDED = Number.POSITIVE_INFINITY;

/** Far above typical requests, and validated within milliseconds. */
const MAX_STOP_SEQUENCES = 100;
const MAX_TOOLS = 1_000;

/** Anthropic's values of `output_config.effort`. */
const EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const;

const display = oneOf(["summarized", "updates", "omitted"]).nullish().meta({
  description: "`omitted` leaves the text out of thinking blocks. Default: the text is included.",
});

const thinking = z
  .discriminatedUnion(
    "type",
    [
      z.looseObject({
        type: z.literal("enabled"),
        budget_tokens: integerBetween(0, UNBOUNDED).meta({
          description:
            "Maximum number of thinking tokens. Thinking is closed when they are used up.",
        }),
        display,
      }),
      z.looseObject({ type: z.literal("adaptive"), display }),
      z.looseObject({ type: z.literal("disabled") }),
    ],
    {
      error: ({ input }) =>
        typeof input === "object" && input !== null
          ? "expected one of enabled, adaptive, disabled"
          : 'expected an object such as {"type":"disabled"}',
    },
  )
  .meta({
    id: "MessagesThinking",
    description:
      "Whether and how long the model thinks. Absent: thinking is off, if the chat template can turn it off.",
  });

const outputFormat = z
  .looseObject(
    {
      type: oneOf(["json_schema"]),
      schema: z.record(z.string(), z.unknown(), { error: "expected a JSON schema" }),
    },
    { error: "expected an object with a schema" },
  )
  .meta({
    id: "MessagesOutputFormat",
    description: "A JSON schema. The output always conforms to it.",
  });

const SCHEMA_ERROR = "expected a JSON schema";

const screenSize = integerBetween(1, UNBOUNDED)
  .nullish()
  .meta({ description: "Required for `computer_…`, if there is no `input_schema`." });

const tool = z
  .looseObject(
    {
      type: text()
        .nullish()
        .meta({
          description: `\`custom\` or absent; or the type of a client tool whose input Anthropic publishes: ${PUBLISHED_TYPES.join(", ")}.`,
        }),
      name: z
        .string({ error: "expected a string" })
        .regex(/^[\w.-]{1,128}$/, { error: "expected 1 to 128 letters, digits, _, . or -" }),
      description: text().nullish(),
      input_schema: z.record(z.string(), z.unknown(), { error: SCHEMA_ERROR }).optional().meta({
        description: "JSON schema of the input. Optional if `type` determines the input.",
      }),
      display_width_px: screenSize,
      display_height_px: screenSize,
      enable_zoom: trueOrFalse().nullish().meta({
        description: "For `computer_20251124`: whether the model may enlarge a part of the screen.",
      }),
      max_characters: integerBetween(1, UNBOUNDED).nullish().meta({
        description: "For `text_editor_20250728`: maximum length of a viewed file.",
      }),
      strict: trueOrFalse().nullish().meta({
        description:
          "Whether inputs must conform to the schema. A schema that cannot be enforced is rejected.",
      }),
      defer_loading: trueOrFalse().nullish().meta({
        description:
          "Whether the model learns of the tool only from a `tool_reference` in a tool result, or from `tool_choice`.",
      }),
    },
    { error: "expected a tool" },
  )
  .check(({ value, issues }) => {
    if (value.input_schema !== undefined || issues.length > 0) return;
    const faults = findFaults(value).map(({ field, error }) => ({
      ...{ code: "custom" as const, input: value[field], path: [field], message: error },
      // Otherwise the union would report the other kind of tool.
      continue: true,
    }));
    issues.push(...faults);
  })
  .meta({ id: "MessagesTool", description: "A client tool." });

/** Types of tools that Anthropic's servers run; the date is the tool's version. */
const HOSTED_TYPE =
  /^(?:(?:web_search|web_fetch|code_execution|advisor)_\d{8}|tool_search_tool_(?:regex|bm25)(?:_\d{8})?|mcp_toolset)$/;

/** Also the error of a client tool with several invalid fields, which may be either. */
const hostedTypeError = "expected a hosted tool, or a name and an input_schema";

const hostedTool = z
  .looseObject({
    type: z
      .string({ error: hostedTypeError })
      .regex(HOSTED_TYPE, { error: hostedTypeError, abort: true }),
    input_schema: z.literal(null, { error: "expected none" }).optional(),
  })
  .meta({ id: "MessagesHostedTool", description: HOSTED_TOOL_DESCRIPTION });

/** Finds the invalid fields of a tool without an `input_schema`. */
function findFaults(tool: {
  readonly [field: string]: unknown;
  readonly type?: string | null | undefined;
}): readonly { readonly field: string; readonly error: string }[] {
  const published = findPublishedTool(tool.type);
  if (published === undefined) return [{ field: "input_schema", error: SCHEMA_ERROR }];
  const { name, needs } = published;
  return [
    ...(tool.name === name ? [] : [{ field: "name", error: `expected ${name}` }]),
    ...needs
      .filter((field) => tool[field] === undefined || tool[field] === null)
      .map((field) => ({ field, error: "expected the size of the screen in pixels" })),
  ];
}

const disableParallelToolUse = trueOrFalse().nullish().meta({
  description: "Whether the message ends after its first tool call.",
});

const toolChoice = z
  .discriminatedUnion(
    "type",
    [
      z.looseObject({
        type: z.literal("auto"),
        disable_parallel_tool_use: disableParallelToolUse,
      }),
      z.looseObject({
        type: z.literal("any"),
        disable_parallel_tool_use: disableParallelToolUse,
      }),
      z.looseObject({
        type: z.literal("tool"),
        name: nonEmptyText(),
        disable_parallel_tool_use: disableParallelToolUse,
      }),
      z.looseObject({ type: z.literal("none") }),
    ],
    {
      error: ({ input }) =>
        typeof input === "object" && input !== null
          ? "expected one of auto, any, tool, none"
          : 'expected an object such as {"type":"auto"}',
    },
  )
  .meta({
    id: "MessagesToolChoice",
    description: "Whether the model may or must call tools, and which ones. Default: `auto`.",
  });

const toolFields = {
  tools: boundedArray(
    z.array(z.union([tool, hostedTool], { error: "expected a tool" }), {
      error: "expected an array of tools",
    }),
    { max: MAX_TOOLS, of: "tools" },
  ).nullish(),
  tool_choice: toolChoice.nullish(),
};

/** Fields that determine the prompt. */
const promptFields = {
  model: nonEmptyText()
    .nullish()
    .meta({ description: "Name of the model. Default: the first served model." }),
  messages: boundedArray(
    z
      .array(message, { error: "expected an array of messages" })
      .min(1, { error: "expected at least one message" })
      .meta({
        description:
          "The conversation. Consecutive messages of one role are merged. A final assistant message is continued.",
      }),
    { max: MAX_MESSAGES, of: "messages" },
  ),
  system: textContent.nullish(),
  thinking: thinking.nullish(),
  output_config: z
    .looseObject(
      {
        effort: oneOf(EFFORTS).nullish().meta({
          description: "Reasoning effort, if the chat template supports it.",
        }),
        format: outputFormat.nullish(),
      },
      { error: "expected an object" },
    )
    .nullish(),
  ...toolFields,
};

const DESCRIPTION =
  "Optional fields may be `null`, which counts as absent. Unknown fields are ignored.";

/** Body of `POST /v1/messages`. */
export const messagesRequest = z
  .looseObject(
    {
      ...promptFields,
      max_tokens: integerBetween(1, UNBOUNDED).meta({
        description: "Maximum number of tokens to generate. The context size limits it further.",
      }),
      stop_sequences: boundedArray(
        z.array(nonEmptyText(), { error: "expected an array of strings" }),
        { max: MAX_STOP_SEQUENCES, of: "stop sequences" },
      )
        .nullish()
        .meta({ description: "Strings that end the message. They are not part of its text." }),
      temperature: numberBetween(0, 2)
        .nullish()
        .meta({ description: "Sampling temperature. 0 selects greedy sampling." }),
      top_p: numberBetween(0, 1).nullish(),
      top_k: integerBetween(0, UNBOUNDED)
        .nullish()
        .meta({ description: "Sample from the k most probable tokens. 0: no limit." }),
      output_format: outputFormat
        .nullish()
        .meta({ description: "Older form of `output_config.format`.", deprecated: true }),
      stream: trueOrFalse()
        .nullish()
        .meta({ description: "Whether to stream the answer as server-sent events." }),
    },
    { error: "expected a JSON object" },
  )
  .meta({ id: "MessagesRequest", description: DESCRIPTION });

/** Body of `POST /v1/messages/count_tokens`. */
export const countTokensRequest = z
  .looseObject(promptFields, { error: "expected a JSON object" })
  .meta({ id: "CountTokensRequest", description: DESCRIPTION });

export type MessagesRequest = z.output<typeof messagesRequest>;
export type CountTokensRequest = z.output<typeof countTokensRequest>;
/** Tool that the client runs. */
export type RequestTool = z.output<typeof tool>;

type AnyTool = NonNullable<CountTokensRequest["tools"]>[number];

/** Whether the client runs a tool: it has an `input_schema`, whatever its type, or a published type. */
export function isClientTool(tool: AnyTool): tool is RequestTool {
  const hasSchema = tool.input_schema !== undefined && tool.input_schema !== null;
  return hasSchema || findPublishedTool(tool.type) !== undefined;
}

/** Returns the hosted tools of a request, including MCP servers that Anthropic would call. */
export function listHostedTools({
  tools,
  mcp_servers: mcpServers,
}: CountTokensRequest): readonly HostedTool[] {
  const hosted = (tools ?? []).flatMap((tool, index) =>
    isClientTool(tool) ? [] : [{ field: `tools.${index}.type`, type: tool.type }],
  );
  if (!Array.isArray(mcpServers) || mcpServers.length === 0) return hosted;
  return [...hosted, { field: "mcp_servers", type: "mcp_servers" }];
}

/**
 * Rejects features that ggufd does not have: tools that are neither the client's, with an
 * `input_schema` or of a published type, nor hosted ones, and stored threads.
 * @param body body as sent by the client, before the schema has validated it
 * @throws {GgufdError} `unsupported_parameter`
 */
export function rejectServerSideFeatures(body: unknown): void {
  if (!isJsonObject(body)) return;
  const { tools, [THREAD_FIELD]: thread } = body;
  if (Array.isArray(tools)) tools.forEach(rejectServerTool);
  if (thread !== undefined && thread !== null) {
    refuse(THREAD_FIELD, "expected none, because this server stores no messages", thread);
  }
}

function rejectServerTool(tool: unknown, index: number): void {
  if (!isJsonObject(tool) || tool.input_schema !== undefined) return;
  const { type } = tool;
  if (typeof type !== "string" || type === "custom") return;
  if (HOSTED_TYPE.test(type) || findPublishedTool(type)) return;
  const expected = "expected a tool with an input_schema, because this server runs no tools";
  refuse(`tools.${index}.type`, expected, type);
}

function refuse(field: string, expected: string, value: unknown): never {
  const reason = `${expected}, got ${preview(value)}`;
  throw createRefusal("unsupported_parameter", [{ field, reason }]);
}
