import { z } from "zod";
import { REASONING_EFFORTS } from "../../core/generation-request.js";
import { MAX_MESSAGES } from "../../core/prompt-size.js";
import { boundedArray, boundedRecord } from "../../validation/bounded-collections.js";
import { integerBetween, nonEmptyText, oneOf, text, trueOrFalse } from "../../validation/fields.js";
import { constraintFields } from "../fields/constraint.js";
import {
  cachePromptField,
  priorityField,
  progressFields,
  streamOptions,
} from "../fields/generation-fields.js";
import { loraField } from "../fields/lora.js";
import { allowNullWhereOptional } from "../fields/nulls.js";
import { samplingFields, stoppingFields } from "../fields/sampling.js";
import {
  calledFunction,
  chatTools,
  earlierCalls,
  functionCallFields,
  toolChoice,
} from "../fields/tool-schema.js";
import { mediaContent, textContent } from "./content.js";

const UNBOUNDED = Number.POSITIVE_INFINITY;

/** In characters. The message is tokenised whenever it is needed. */
const MAX_MESSAGE_LENGTH = 10_000;

/** Number of tokens; -1: unlimited. */
export const reasoningBudget = integerBetween(-1, UNBOUNDED);

const messageError = `expected a string of at most ${MAX_MESSAGE_LENGTH} characters`;

/**
 * Limit of reasoning, under the parameter names of llama.cpp, Qwen and vLLM, in order of
 * precedence.
 */
const reasoningBudgetFields = {
  reasoning_budget_tokens: reasoningBudget.optional().meta({
    description:
      "Maximum number of reasoning tokens. Reasoning is closed when they are used up. 0: no reasoning; -1: no limit.",
  }),
  reasoning_budget: reasoningBudget.optional(),
  thinking_budget_tokens: reasoningBudget.optional(),
  thinking_budget: reasoningBudget.optional(),
  thinking_token_budget: reasoningBudget.optional(),
  reasoning_budget_message: z
    .string({ error: messageError })
    .max(MAX_MESSAGE_LENGTH, { error: messageError })
    .optional()
    .meta({ description: "Text to append to reasoning that the budget closes." }),
};

/** Far above typical requests, and validated within milliseconds. */
const MAX_TEMPLATE_VARIABLES = 1_000;

/** Choices of one completion, each of which takes a slot. */
const MAX_CHOICES = 16;

const message = z
  .discriminatedUnion(
    "role",
    [
      z
        .looseObject({
          role: z.enum(["system", "developer"]),
          content: textContent,
          name: text().optional(),
        })
        .meta({ id: "SystemMessage", override: allowNullWhereOptional }),
      z
        .looseObject({ role: z.literal("user"), content: mediaContent, name: text().optional() })
        .meta({ id: "UserMessage", override: allowNullWhereOptional }),
      z
        .looseObject({
          role: z.literal("assistant"),
          content: textContent.optional(),
          reasoning_content: text().optional(),
          tool_calls: earlierCalls.optional(),
          function_call: calledFunction
            .optional()
            .meta({ description: "Older form of `tool_calls`.", deprecated: true }),
        })
        .meta({ id: "AssistantMessage", override: allowNullWhereOptional }),
      z
        .looseObject({
          role: z.enum(["tool", "function"]),
          content: mediaContent,
          tool_call_id: text().optional(),
          name: text().optional(),
        })
        .refine(({ role, name = "" }) => role === "tool" || name !== "", {
          path: ["name"],
          error: "expected a non-empty string",
        })
        .meta({
          id: "ToolMessage",
          description:
            "The result of a tool call. The older form, with the role `function`, has a `name`.",
          override: allowNullWhereOptional,
        }),
    ],
    {
      error: ({ input }) =>
        typeof input === "object" && input !== null
          ? "expected one of system, developer, user, assistant, tool, function"
          : "expected a message object",
    },
  )
  .meta({ id: "ChatMessage" });

const prediction = z
  .looseObject(
    { type: z.literal("content", { error: 'expected "content"' }), content: textContent },
    { error: "expected an object" },
  )
  .meta({
    id: "Prediction",
    description: "Text that much of the completion is expected to repeat.",
  });

/**
 * Body of `POST /v1/chat/completions`, after nulls, which mean absent, have been removed. Unknown
 * fields are ignored. Known but unsupported fields are rejected with an error that names the
 * parameter (see `unsupported-parameters.ts`).
 */
export const chatCompletionRequest = z
  .looseObject(
    {
      model: nonEmptyText()
        .optional()
        .meta({ description: "Name of the model. Default: the first served model." }),
      messages: boundedArray(
        z
          .array(message, { error: "expected an array of messages" })
          .min(1, { error: "expected at least one message" })
          .meta({
            description: "The conversation. A final assistant message is continued.",
          }),
        { max: MAX_MESSAGES, of: "messages" },
      ),
      continue_final_message: trueOrFalse().optional().meta({
        description: "Whether a final assistant message is continued. Default: `true`.",
      }),
      add_generation_prompt: trueOrFalse().optional().meta({
        description: "Whether the completion starts a new message even after an assistant message.",
      }),
      prediction: prediction.optional(),
      ...stoppingFields(),
      ...samplingFields(),
      ...constraintFields(),
      n: integerBetween(1, MAX_CHOICES).optional().meta({
        description: "Number of choices, generated independently.",
      }),
      logprobs: trueOrFalse()
        .optional()
        .meta({ description: "Whether to report the log-probabilities of the tokens." }),
      top_logprobs: integerBetween(0, 20).optional().meta({
        description: "Number of most probable tokens to report per token.",
      }),
      tools: chatTools.optional(),
      tool_choice: toolChoice.optional(),
      parallel_tool_calls: trueOrFalse().optional().meta({
        description:
          "Whether the completion may contain several tool calls. With `false` it ends after the first.",
      }),
      ...functionCallFields,
      ...progressFields(),
      stream: trueOrFalse()
        .optional()
        .meta({ description: "Whether to stream the answer as server-sent events." }),
      stream_options: streamOptions(),
      priority: priorityField(),
      cache_prompt: cachePromptField(),
      lora: loraField(),
      reasoning_effort: oneOf(REASONING_EFFORTS).optional().meta({
        description: "Reasoning effort, if the chat template supports it. `none`: no reasoning.",
      }),
      ...reasoningBudgetFields,
      reasoning_control: trueOrFalse().optional().meta({
        description:
          "Whether `POST /v1/chat/completions/control` may end the reasoning of this completion.",
      }),
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
    description:
      "Optional fields may be `null`, which counts as absent. Unknown fields are ignored.",
    override: allowNullWhereOptional,
  });

export type ChatCompletionRequest = z.output<typeof chatCompletionRequest>;

export type RequestMessage = ChatCompletionRequest["messages"][number];
