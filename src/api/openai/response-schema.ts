/**
 * Schemas of the responses of the inference routes. The types of the responses are inferred from
 * them; a test checks them against the types of OpenAI's own client.
 */
import { z } from "zod";
import { CAPABILITIES } from "./capabilities.js";

const count = (description: string) => z.int().nonnegative().meta({ description });
const milliseconds = (description: string) => z.number().nonnegative().meta({ description });

export const usage = z
  .object({
    prompt_tokens: count("Tokens of the whole prompt, cached or not."),
    completion_tokens: count("Every sampled token, including the end-of-generation token."),
    total_tokens: count("The sum of both."),
    prompt_tokens_details: z.object({
      cached_tokens: count("Prompt tokens that needed no evaluation."),
    }),
    completion_tokens_details: z.object({
      reasoning_tokens: count("Completion tokens that are reasoning."),
      accepted_prediction_tokens: count("Completion tokens that were taken from the prediction."),
      rejected_prediction_tokens: count(
        "Tokens of the prediction that were tried and are not in the completion, nor counted in it.",
      ),
    }),
  })
  .meta({ id: "Usage", description: "Tokens of a request." });

export type Usage = z.infer<typeof usage>;

export const timings = z
  .object({
    cache_n: count("Prompt tokens that needed no evaluation."),
    prompt_n: count("Prompt tokens that were evaluated."),
    prompt_ms: milliseconds("From the lease of a slot to the first token, in milliseconds."),
    predicted_n: count("Tokens that were generated."),
    predicted_ms: milliseconds("From the first token to the last, in milliseconds."),
    prompt_per_second: milliseconds("Prompt tokens evaluated per second."),
    predicted_per_second: milliseconds("Tokens generated per second."),
    draft_n: count("Draft tokens of speculative decoding, if there were any.").optional(),
    draft_n_accepted: count("Draft tokens that were accepted.").optional(),
    forced_n: count(
      "Tokens that a constraint forced and that were evaluated together with others, if there were any.",
    ).optional(),
  })
  .meta({
    id: "Timings",
    description: "Prefill and decode timings, with llama-server's field names.",
  });

export type Timings = z.infer<typeof timings>;

/** How far a prompt is evaluated, in tokens and milliseconds. */
export const promptProgress = z
  .object({
    total: z.int().nonnegative().meta({ description: "Tokens of the prompt." }),
    cache: z.int().nonnegative().meta({ description: "Of these, those that were cached." }),
    processed: z.int().nonnegative().meta({ description: "Cached and evaluated ones so far." }),
    time_ms: z.number().nonnegative().meta({ description: "Since it has a slot." }),
  })
  .meta({ id: "PromptProgress" });

export type PromptProgress = z.infer<typeof promptProgress>;

const finishReason = z.enum(["stop", "length", "tool_calls", "function_call"]).meta({
  description:
    "`stop`: end of generation or a stop string; `length`: the token limit; `function_call`: a call, if the request has `functions`.",
});

const IF_CUSTOM =
  "In place of `function`, if the request has custom tools and the call is one of these: its `type` is `custom`.";

const calledFunction = z.object({
  name: z.string(),
  arguments: z.string().meta({ description: "JSON in a string." }),
});

/** Not a union: see `answered-calls.ts`. */
const toolCall = z
  .object({
    id: z.string(),
    type: z.literal("function"),
    function: calledFunction,
    custom: z
      .object({ name: z.string(), input: z.string() })
      .optional()
      .meta({ description: IF_CUSTOM }),
  })
  .meta({ id: "ToolCall", description: "A call that the model requests." });

export const commonFields = {
  id: z.string().meta({ description: "The same in all chunks of a stream." }),
  created: z.int().nonnegative().meta({ description: "Unix time in seconds." }),
  model: z.string().meta({ description: "The name of the served model." }),
  system_fingerprint: z.string().meta({
    description: "Changes with the model file and the version of the server.",
  }),
};

const scoredToken = {
  token: z.string().meta({ description: "May be a part of a character: see bytes." }),
  logprob: z.number().meta({ description: "By the model itself, before sampling parameters." }),
  bytes: z.array(z.int().min(0).max(255)),
};
const logprobs = z
  .object({
    content: z.array(z.object({ ...scoredToken, top_logprobs: z.array(z.object(scoredToken)) })),
    refusal: z.null(),
  })
  .meta({ id: "Logprobs", description: "The tokens of the content, which they concatenate to." });

const IF_FUNCTIONS = "In place of `tool_calls`, if the request has `functions`.";

/** A completion that is not streamed. */
export const chatCompletion = z
  .object({
    ...commonFields,
    object: z.literal("chat.completion"),
    choices: z
      .array(
        z.object({
          index: z.int().nonnegative(),
          message: z.object({
            role: z.literal("assistant"),
            content: z.string().nullable().meta({
              description: "null for tool calls without text.",
            }),
            refusal: z.null(),
            reasoning_content: z.string().optional(),
            tool_calls: z.array(toolCall).optional(),
            function_call: calledFunction.optional().meta({ description: IF_FUNCTIONS }),
          }),
          logprobs: logprobs.nullable(),
          finish_reason: finishReason,
        }),
      )
      .meta({ description: "As many as `n` asks for, in order." }),
    usage,
    timings,
  })
  .meta({ id: "ChatCompletion" });

export type Completion = z.infer<typeof chatCompletion>;

const calledFunctionDelta = z.object({ name: z.string().optional(), arguments: z.string() });

const toolCallDelta = z
  .object({
    index: z.int().nonnegative().meta({ description: "Index of the call in the completion." }),
    id: z.string().optional(),
    type: z.literal("function").optional(),
    function: calledFunctionDelta,
    custom: z
      .object({ name: z.string().optional(), input: z.string() })
      .optional()
      .meta({ description: IF_CUSTOM }),
  })
  .meta({
    id: "ToolCallDelta",
    description:
      "The first delta of a call has its function's name and empty arguments, or its tool's name and an empty input; these follow.",
  });

/** One event of a streamed completion. */
export const chatCompletionChunk = z
  .object({
    ...commonFields,
    object: z.literal("chat.completion.chunk"),
    choices: z
      .array(
        z.object({
          index: z.int().nonnegative(),
          delta: z.object({
            role: z
              .literal("assistant")
              .optional()
              .meta({ description: "In the first chunk of the choice." }),
            content: z.string().optional(),
            reasoning_content: z.string().optional(),
            tool_calls: z.array(toolCallDelta).optional(),
            function_call: calledFunctionDelta.optional().meta({ description: IF_FUNCTIONS }),
          }),
          logprobs: logprobs.nullable(),
          finish_reason: finishReason.nullable(),
        }),
      )
      .meta({
        description: "One choice, or none in the chunks with the usage and with the progress.",
      }),
    usage: usage.nullable().optional().meta({
      description: "With `include_usage`: in the last chunk; null in the chunks before it.",
    }),
    timings: timings.optional().meta({
      description:
        "In the chunk with the finish reason; with `timings_per_token`, in those with text too.",
    }),
    prompt_progress: promptProgress.optional().meta({
      description: "With `return_progress`: in chunks without a choice, before all others.",
    }),
  })
  .meta({ id: "ChatCompletionChunk" });

export type CompletionChunk = z.infer<typeof chatCompletionChunk>;

/** An error with OpenAI's four fields and the two of the specification. */
export const openAiError = z
  .object({
    error: z.object({
      message: z.string().meta({ description: "What was expected and what was received." }),
      type: z.string().meta({ description: "OpenAI's error type." }),
      param: z.string().nullable().meta({ description: "The first invalid field." }),
      code: z.string().meta({ description: "Machine-readable, in lower snake case." }),
      details: z
        .array(z.object({ field: z.string(), reason: z.string() }))
        .meta({ description: "Every invalid field." }),
      request_id: z.string().meta({ description: "The header `X-Request-Id`." }),
    }),
  })
  .meta({ id: "OpenAiError" });

/** The data of a stream event: a chunk, or the error that ends the stream. */
export const chatCompletionEvent = z
  .union([chatCompletionChunk, openAiError])
  .meta({ id: "ChatCompletionEvent" });

/** A model in OpenAI's format, with fields that vLLM's and llama-server's clients read. */
export const model = z
  .object({
    id: z.string(),
    object: z.literal("model"),
    created: z
      .int()
      .nonnegative()
      .meta({ description: "When it was loaded: Unix time in seconds." }),
    owned_by: z.string(),
    root: z.string(),
    max_model_len: count("Maximum tokens of one request: prompt and completion together."),
    capabilities: z
      .array(z.enum(CAPABILITIES))
      .meta({ description: "`infill`: the model has tokens for the texts around a gap." }),
    meta: z.object({
      name: z.string(),
      architecture: z.string(),
      n_ctx: count("Equal to `max_model_len`."),
      n_ctx_train: count("Context size in tokens that the model was trained with."),
      n_params: count("Number of parameters."),
      n_vocab: count("Vocabulary size in tokens."),
      size: count("File size in bytes."),
      n_slots: count("Maximum number of concurrent requests."),
    }),
  })
  .meta({ id: "Model" });
export type ListedModel = z.infer<typeof model>;
