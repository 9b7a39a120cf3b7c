/**
 * Schemas of the answers, from which their types are inferred. A test checks the types against
 * Ollama's client.
 */
import { z } from "zod";

const count = (description: string) => z.int().nonnegative().meta({ description });
const nanoseconds = (description: string) =>
  z
    .int()
    .nonnegative()
    .meta({ description: `${description} In nanoseconds.` });

const scoredToken = {
  token: z.string().meta({ description: "May be part of a character; `bytes` is exact." }),
  logprob: z
    .number()
    .meta({ description: "Log-probability under the model, before sampling parameters apply." }),
  bytes: z.array(z.int().min(0).max(255)),
};
const logprobs = z
  .array(z.object({ ...scoredToken, top_logprobs: z.array(z.object(scoredToken)).optional() }))
  .meta({
    id: "OllamaLogprobs",
    description: "The tokens that make up the text.",
  });

export type Logprobs = z.infer<typeof logprobs>;

const commonFields = {
  model: z.string().meta({ description: "Name of the served model." }),
  created_at: z.iso.datetime(),
  done: z.boolean().meta({ description: "Whether this is the last line." }),
  logprobs: logprobs.optional(),
};

/**
 * Fields of an answer's last line, or of a complete answer. The answer to a request without a
 * prompt has no counts.
 */
const endFields = {
  done_reason: z.enum(["stop", "length", "load", "unload"]).optional().meta({
    description:
      "`stop`: ended by the model, a stop string or a tool call; `length`: token limit reached; `load`, `unload`: nothing to generate.",
  }),
  total_duration: nanoseconds("Total time of the request.").optional(),
  load_duration: nanoseconds("Time to load the model. 0: it was loaded already.").optional(),
  prompt_eval_count: count("Tokens of the whole prompt, cached or not.").optional(),
  prompt_eval_duration: nanoseconds("From slot assignment to the first token.").optional(),
  eval_count: count("All sampled tokens, including the end-of-generation token.").optional(),
  eval_duration: nanoseconds("From the first to the last token.").optional(),
};

const toolCall = z
  .object({
    id: z.string(),
    function: z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) }),
  })
  .meta({ id: "OllamaToolCall", description: "A function call requested by the model." });

export type PrintedToolCall = z.infer<typeof toolCall>;

/** Response of `/api/chat`, or one line of it. */
export const chatResponse = z
  .object({
    ...commonFields,
    message: z.object({
      role: z.literal("assistant"),
      content: z.string(),
      thinking: z.string().optional(),
      tool_calls: z.array(toolCall).optional().meta({ description: "Each is complete." }),
    }),
    ...endFields,
  })
  .meta({ id: "OllamaChatResponse" });

export type ChatResponse = z.infer<typeof chatResponse>;

/** Response of `/api/generate`, or one line of it. */
export const generateResponse = z
  .object({
    ...commonFields,
    response: z.string(),
    thinking: z.string().optional(),
    ...endFields,
  })
  .meta({ id: "OllamaGenerateResponse" });

export type GenerateResponse = z.infer<typeof generateResponse>;

/** Fields that the responses of `/api/chat` and `/api/generate` share. */
export type ResponseFrame = Omit<GenerateResponse, "response" | "thinking">;

/** Ollama's error format. */
export const ollamaError = z
  .object({
    error: z.string().meta({ description: "The expected value and the received one." }),
  })
  .meta({ id: "OllamaError" });

export type OllamaError = Readonly<z.infer<typeof ollamaError>>;

export const version = z.object({ version: z.string().meta({ description: "Version of ggufd." }) });
