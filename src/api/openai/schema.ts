import { z } from "zod";
import {
  integerBetween,
  nonEmptyText,
  numberBetween,
  text,
  trueOrFalse,
} from "../../validation/fields.js";

const UNBOUNDED = Number.POSITIVE_INFINITY;

const textPart = z.looseObject({
  type: z.literal("text", { error: 'expected "text", the only content this model reads' }),
  text: text(),
});

const content = z.union([z.string(), z.array(textPart)], {
  error: "expected a string or an array of text parts",
});

const toolCall = z.looseObject({
  id: text(),
  function: z.looseObject({ name: nonEmptyText(), arguments: text() }),
});

const tool = z.looseObject({
  type: z.literal("function", { error: 'expected "function"' }),
  function: z.looseObject({
    name: z
      .string({ error: "expected a string" })
      .regex(/^[\w.-]{1,64}$/, { error: "expected 1 to 64 letters, digits, _, . or -" }),
    description: text().nullish(),
    parameters: z.record(z.string(), z.unknown(), { error: "expected a JSON schema" }).nullish(),
  }),
});

const message = z.discriminatedUnion(
  "role",
  [
    z.looseObject({
      role: z.enum(["system", "developer", "user"]),
      content,
      name: text().optional(),
    }),
    z.looseObject({
      role: z.literal("assistant"),
      content: content.optional(),
      reasoning_content: text().optional(),
      tool_calls: z.array(toolCall).optional(),
    }),
    z.looseObject({
      role: z.enum(["tool", "function"]),
      content,
      tool_call_id: text().optional(),
      name: text().optional(),
    }),
  ],
  {
    error: ({ input }) =>
      typeof input === "object" && input !== null
        ? "expected one of system, developer, user, assistant, tool, function"
        : "expected a message object",
  },
);

const completionLimitError = "expected a positive integer, or -1 for as many as fit";
const completionLimit = z
  .int({ error: completionLimitError })
  .min(-1, { error: completionLimitError })
  .refine((limit) => limit !== 0, { error: completionLimitError });

const stop = z.union([nonEmptyText(), z.array(nonEmptyText()).max(4)], {
  error: "expected a non-empty string or up to 4 of them",
});

const logitBias = z.record(z.string().regex(/^\d+$/), numberBetween(-100, 100), {
  error: ({ code }) =>
    code === "invalid_key"
      ? "expected token ids as keys"
      : "expected an object of token ids and biases",
});

/**
 * The body of `POST /v1/chat/completions`. Nulls have been removed: they mean absent. Unknown
 * fields are ignored; known ones that are not supported are refused by name
 * (see `unsupported-parameters.ts`).
 */
export const chatCompletionRequest = z.looseObject(
  {
    model: nonEmptyText().optional(),
    messages: z
      .array(message, { error: "expected an array of messages" })
      .min(1, { error: "expected at least one message" }),
    max_tokens: completionLimit.optional(),
    max_completion_tokens: completionLimit.optional(),
    min_tokens: integerBetween(0, UNBOUNDED).optional(),
    temperature: numberBetween(0, 2).optional(),
    top_p: numberBetween(0, 1).optional(),
    top_k: integerBetween(-1, UNBOUNDED).optional(),
    min_p: numberBetween(0, 1).optional(),
    seed: integerBetween(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER).optional(),
    stop: stop.optional(),
    tools: z.array(tool, { error: "expected an array of tools" }).optional(),
    tool_choice: z.unknown().optional(),
    parallel_tool_calls: trueOrFalse().optional(),
    presence_penalty: numberBetween(-2, 2).optional(),
    frequency_penalty: numberBetween(-2, 2).optional(),
    repetition_penalty: numberBetween(0.01, 10).optional(),
    logit_bias: logitBias.optional(),
    ignore_eos: trueOrFalse().optional(),
    stream: trueOrFalse().optional(),
    stream_options: z
      .looseObject(
        {
          include_usage: trueOrFalse().optional(),
          continuous_usage_stats: trueOrFalse().optional(),
        },
        { error: "expected an object" },
      )
      .optional(),
    chat_template_kwargs: z
      .record(z.string(), z.unknown(), { error: "expected an object" })
      .optional(),
  },
  { error: "expected a JSON object" },
);

export type ChatCompletionRequest = z.output<typeof chatCompletionRequest>;
export type RequestMessage = ChatCompletionRequest["messages"][number];
export type RequestTool = z.output<typeof tool>;
export type RequestToolCall = z.output<typeof toolCall>;
