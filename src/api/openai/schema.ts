import { z } from "zod";
import { boundedArray, boundedRecord } from "../../validation/bounded-collections.js";
import {
  integerBetween,
  nonEmptyText,
  numberBetween,
  text,
  trueOrFalse,
} from "../../validation/fields.js";
import { nullableWhereOptional } from "./describe-nulls.js";

const UNBOUNDED = Number.POSITIVE_INFINITY;

/** Bounds of collections: far above what clients send, and validated within milliseconds. */
const MAX_MESSAGES = 10_000;
const MAX_TEXT_PARTS = 1_000;
const MAX_TOOL_CALLS = 1_000;
const MAX_TOOLS = 1_000;
const MAX_LOGIT_BIASES = 10_000;
const MAX_TEMPLATE_VARIABLES = 1_000;

const textPart = z
  .looseObject({
    type: z.literal("text", { error: 'expected "text", the only content this model reads' }),
    text: text(),
  })
  .meta({ id: "TextPart" });

const content = z
  .union([z.string(), boundedArray(z.array(textPart), { max: MAX_TEXT_PARTS, of: "text parts" })], {
    error: ({ input }) =>
      Array.isArray(input) && input.length > MAX_TEXT_PARTS
        ? `expected at most ${MAX_TEXT_PARTS} text parts`
        : "expected a string or an array of text parts",
  })
  .meta({ description: "Text, or text parts that are joined with a line break." });

const toolCall = z
  .looseObject({
    id: text(),
    function: z.looseObject({
      name: nonEmptyText(),
      arguments: text().meta({ description: "JSON in a string." }),
    }),
  })
  .meta({ id: "RequestToolCall", description: "A call that the assistant made earlier." });

const tool = z
  .looseObject({
    type: z.literal("function", { error: 'expected "function"' }),
    function: z.looseObject({
      name: z
        .string({ error: "expected a string" })
        .regex(/^[\w.-]{1,64}$/, { error: "expected 1 to 64 letters, digits, _, . or -" }),
      description: text().nullish(),
      parameters: z
        .record(z.string(), z.unknown(), { error: "expected a JSON schema" })
        .nullish()
        .meta({ description: "The JSON schema of the arguments." }),
    }),
  })
  .meta({ id: "Tool", description: "A function that the model may call." });

const message = z
  .discriminatedUnion(
    "role",
    [
      z
        .looseObject({
          role: z.enum(["system", "developer", "user"]),
          content,
          name: text().optional(),
        })
        .meta({ id: "PromptMessage", override: nullableWhereOptional }),
      z
        .looseObject({
          role: z.literal("assistant"),
          content: content.optional(),
          reasoning_content: text().optional(),
          tool_calls: boundedArray(z.array(toolCall), {
            max: MAX_TOOL_CALLS,
            of: "tool calls",
          }).optional(),
        })
        .meta({ id: "AssistantMessage", override: nullableWhereOptional }),
      z
        .looseObject({
          role: z.enum(["tool", "function"]),
          content,
          tool_call_id: text().optional(),
          name: text().optional(),
        })
        .meta({ id: "ToolMessage", override: nullableWhereOptional }),
    ],
    {
      error: ({ input }) =>
        typeof input === "object" && input !== null
          ? "expected one of system, developer, user, assistant, tool, function"
          : "expected a message object",
    },
  )
  .meta({ id: "ChatMessage" });

const completionLimitError = "expected a positive integer, or -1 for as many as fit";
const completionLimit = z
  .int({ error: completionLimitError })
  .min(-1, { error: completionLimitError })
  .refine((limit) => limit !== 0, { error: completionLimitError })
  .meta({
    not: { const: 0 },
    description: "Maximum number of tokens to generate; -1 for as many as fit.",
  });

const stop = z.union([nonEmptyText(), z.array(nonEmptyText()).max(4)], {
  error: "expected a non-empty string or up to 4 of them",
});

const logitBias = boundedRecord(
  z.record(z.string().regex(/^\d+$/), numberBetween(-100, 100), {
    error: ({ code }) =>
      code === "invalid_key"
        ? "expected token ids as keys"
        : "expected an object of token ids and biases",
  }),
  { max: MAX_LOGIT_BIASES, of: "token ids" },
);

/**
 * The body of `POST /v1/chat/completions`. Nulls, which mean absent, have been removed. Unknown
 * fields are ignored; known but unsupported ones are rejected with an error that names the
 * parameter (see `unsupported-parameters.ts`).
 */
export const chatCompletionRequest = z
  .looseObject(
    {
      model: nonEmptyText()
        .optional()
        .meta({ description: "The model's name. Default: the served model." }),
      messages: boundedArray(
        z
          .array(message, { error: "expected an array of messages" })
          .min(1, { error: "expected at least one message" })
          .meta({
            description:
              "The conversation. If the last message is the assistant's, it is continued.",
          }),
        { max: MAX_MESSAGES, of: "messages" },
      ),
      max_tokens: completionLimit.optional(),
      max_completion_tokens: completionLimit.optional(),
      min_tokens: integerBetween(0, UNBOUNDED).optional().meta({
        description:
          "Minimum number of tokens before the model or a stop string can end the completion.",
      }),
      temperature: numberBetween(0, 2).optional().meta({ description: "0: greedy sampling." }),
      top_p: numberBetween(0, 1).optional(),
      top_k: integerBetween(-1, UNBOUNDED).optional().meta({ description: "-1 and 0: no limit." }),
      min_p: numberBetween(0, 1).optional(),
      seed: integerBetween(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER).optional().meta({
        description: "The same model, prompt, parameters and seed give the same completion.",
      }),
      stop: stop
        .optional()
        .meta({ description: "Stop sequences, which are not part of the completion." }),
      tools: boundedArray(z.array(tool, { error: "expected an array of tools" }), {
        max: MAX_TOOLS,
        of: "tools",
      }).optional(),
      tool_choice: z
        .unknown()
        .optional()
        .meta({
          enum: ["none", "auto"],
          description: "Whether the model may call functions.",
        }),
      parallel_tool_calls: trueOrFalse()
        .optional()
        .meta({ description: "false: the completion ends after its first call." }),
      presence_penalty: numberBetween(-2, 2).optional(),
      frequency_penalty: numberBetween(-2, 2).optional(),
      repetition_penalty: numberBetween(0.01, 10).optional(),
      logit_bias: logitBias.optional().meta({
        description: "Token ids and the bias that is added to their logits; -100 bans the token.",
      }),
      ignore_eos: trueOrFalse()
        .optional()
        .meta({ description: "true: the model cannot end the completion." }),
      stream: trueOrFalse().optional().meta({ description: "true: server-sent events." }),
      stream_options: z
        .looseObject(
          {
            include_usage: trueOrFalse()
              .optional()
              .meta({ description: "true: a last chunk has the usage." }),
            continuous_usage_stats: trueOrFalse()
              .optional()
              .meta({ description: "true: every chunk has the usage." }),
          },
          { error: "expected an object" },
        )
        .optional()
        .meta({ override: nullableWhereOptional }),
      chat_template_kwargs: boundedRecord(
        z.record(z.string(), z.unknown(), { error: "expected an object" }),
        { max: MAX_TEMPLATE_VARIABLES, of: "template variables" },
      )
        .optional()
        .meta({ description: "Variables for the model's chat template." }),
    },
    { error: "expected a JSON object" },
  )
  .meta({
    id: "ChatCompletionRequest",
    description: "null means absent for every optional field. Unknown fields are ignored.",
    override: nullableWhereOptional,
  });

export type ChatCompletionRequest = z.output<typeof chatCompletionRequest>;
export type RequestMessage = ChatCompletionRequest["messages"][number];
export type RequestTool = z.output<typeof tool>;
export type RequestToolCall = z.output<typeof toolCall>;
