/**
 * What the inference routes answer. The types of what is sent are those of these schemas; a test ties
 * them to the types of OpenAI's own client.
 */
import { z } from "zod";

const count = (description: string) => z.int().nonnegative().meta({ description });
const milliseconds = (description: string) => z.number().nonnegative().meta({ description });

const usage = z
  .object({
    prompt_tokens: count("Tokens of the whole prompt, cached or not."),
    completion_tokens: count("Every sampled token, the end-of-generation token too."),
    total_tokens: count("Both together."),
    prompt_tokens_details: z.object({
      cached_tokens: count("Prompt tokens that needed no evaluation."),
    }),
    completion_tokens_details: z.object({
      reasoning_tokens: count("Completion tokens that are reasoning."),
    }),
  })
  .meta({ id: "Usage", description: "Tokens of a request." });

export type Usage = z.infer<typeof usage>;

const timings = z
  .object({
    cache_n: count("Prompt tokens that needed no evaluation."),
    prompt_n: count("Prompt tokens that were evaluated."),
    prompt_ms: milliseconds("From the lease of a slot to the first token, in milliseconds."),
    predicted_n: count("Tokens that were generated."),
    predicted_ms: milliseconds("From the first token to the last, in milliseconds."),
    prompt_per_second: milliseconds("Prompt tokens evaluated per second."),
    predicted_per_second: milliseconds("Tokens generated per second."),
    draft_n: count("Tokens that speculation proposed, if any.").optional(),
    draft_n_accepted: count("How many of them were right.").optional(),
  })
  .meta({ id: "Timings", description: "Where the time went, in llama-server's words." });

export type Timings = z.infer<typeof timings>;

const finishReason = z.enum(["stop", "length", "tool_calls"]).meta({
  description: "`stop`: the model ended, or a stop string; `length`: the limit.",
});

const toolCall = z
  .object({
    id: z.string(),
    type: z.literal("function"),
    function: z.object({
      name: z.string(),
      arguments: z.string().meta({ description: "JSON in a string." }),
    }),
  })
  .meta({ id: "ToolCall", description: "A call that the model asks for." });

const head = {
  id: z.string().meta({ description: "The same in all chunks of a stream." }),
  created: z.int().nonnegative().meta({ description: "Seconds since 1970." }),
  model: z.string().meta({ description: "The name of the served model." }),
  system_fingerprint: z.string().meta({
    description: "Changes with the model file and the version of the server.",
  }),
};

/** A whole answer. */
export const chatCompletion = z
  .object({
    ...head,
    object: z.literal("chat.completion"),
    choices: z
      .array(
        z.object({
          index: z.int().nonnegative(),
          message: z.object({
            role: z.literal("assistant"),
            content: z.string().nullable().meta({
              description: "null beside tool calls without text.",
            }),
            refusal: z.null(),
            reasoning_content: z.string().optional(),
            tool_calls: z.array(toolCall).optional(),
          }),
          logprobs: z.null(),
          finish_reason: finishReason,
        }),
      )
      .meta({ description: "One choice." }),
    usage,
    timings,
  })
  .meta({ id: "ChatCompletion" });

export type Completion = z.infer<typeof chatCompletion>;

const toolCallDelta = z
  .object({
    index: z.int().nonnegative().meta({ description: "Which call of the answer." }),
    id: z.string().optional(),
    type: z.literal("function").optional(),
    function: z.object({ name: z.string().optional(), arguments: z.string() }),
  })
  .meta({
    id: "ToolCallDelta",
    description: "Who is called comes first, with empty arguments; then the arguments.",
  });

/** One event of a streamed answer. */
export const chatCompletionChunk = z
  .object({
    ...head,
    object: z.literal("chat.completion.chunk"),
    choices: z
      .array(
        z.object({
          index: z.int().nonnegative(),
          delta: z.object({
            role: z.literal("assistant").optional().meta({ description: "In the first chunk." }),
            content: z.string().optional(),
            reasoning_content: z.string().optional(),
            tool_calls: z.array(toolCallDelta).optional(),
          }),
          logprobs: z.null(),
          finish_reason: finishReason.nullable(),
        }),
      )
      .meta({ description: "One choice; none in the chunk with the usage." }),
    usage: usage.nullable().optional().meta({
      description: "In the last chunk with `include_usage`, before it null.",
    }),
    timings: timings.optional().meta({ description: "Beside the finish reason." }),
  })
  .meta({ id: "ChatCompletionChunk" });

export type CompletionChunk = z.infer<typeof chatCompletionChunk>;

/** An error in OpenAI's four fields and the specification's. */
export const openAiError = z
  .object({
    error: z.object({
      message: z.string().meta({ description: "What was expected and what came." }),
      type: z.string().meta({ description: "OpenAI's coarse class of the error." }),
      param: z.string().nullable().meta({ description: "The first field at fault." }),
      code: z.string().meta({ description: "Machine-readable, in lower snake case." }),
      details: z
        .array(z.object({ field: z.string(), reason: z.string() }))
        .meta({ description: "Every field at fault." }),
      request_id: z.string().meta({ description: "The header `X-Request-Id`." }),
    }),
  })
  .meta({ id: "OpenAiError" });

/** The data of an event of a stream: a chunk, or the error that ends the stream. */
export const chatCompletionEvent = z
  .union([chatCompletionChunk, openAiError])
  .meta({ id: "ChatCompletionEvent" });

/** A model as OpenAI lists it, with what vLLM's and llama-server's clients read besides. */
export const model = z
  .object({
    id: z.string(),
    object: z.literal("model"),
    created: z.int().nonnegative().meta({ description: "When it was loaded: seconds since 1970." }),
    owned_by: z.string(),
    root: z.string(),
    max_model_len: count("Tokens of one request: prompt and completion together."),
    meta: z.object({
      name: z.string(),
      architecture: z.string(),
      n_ctx: count("As `max_model_len`."),
      n_ctx_train: count("Tokens of the context that the model was trained with."),
      n_params: count("Parameters."),
      n_vocab: count("Tokens of the vocabulary."),
      size: count("Bytes of the file."),
      n_slots: count("Requests that are answered at once."),
    }),
  })
  .meta({ id: "Model" });
export type ListedModel = z.infer<typeof model>;
