import { createRefusal, createShutdownError, GgufdError } from "../../core/errors.js";
import { internalError } from "../description/example-errors.js";
import { describeErrorResponses, type ErrorFormat } from "../description/responses.js";
import { openAiError, toErrorEnvelope } from "./error-envelope.js";

export const inferenceTag = "Inference";

/** Error format of every API that does not define its own. */
export const openAiErrorFormat: ErrorFormat = { schema: openAiError, toBody: toErrorEnvelope };

const unknownModelError = new GgufdError(
  "model_not_found",
  "The model `gpt-5` does not exist; this server serves `ggufd-mini`.",
  { param: "model" },
);

/** Errors of a server that has no model ready. */
export const noModelErrors = [
  new GgufdError("model_loading", "The model `ggufd-mini` is still loading.", {
    retryAfterSeconds: 2,
  }),
  new GgufdError(
    "model_unavailable",
    "This server runs without a model (it was started with --no-model).",
  ),
  createShutdownError(),
];

/** Errors of every request that names a model. */
export const modelErrors: readonly GgufdError[] = [
  unknownModelError,
  internalError,
  ...noModelErrors,
];

/** Errors of requests that can be queued. */
export const queueErrors: readonly GgufdError[] = [
  new GgufdError("server_overloaded", "The server is overloaded: 256 requests are waiting.", {
    retryAfterSeconds: 4,
  }),
];

/** Errors of every request that is prepared for generation, except errors of its prompt. */
export const preparationErrors: readonly GgufdError[] = [
  createRefusal("invalid_request", [
    { field: "temperature", reason: 'expected a number from 0 to 2, got "hot"' },
  ]),
  createRefusal("unsupported_parameter", [
    { field: "use_beam_search", reason: "expected false, got true, which is not supported yet" },
  ]),
  ...modelErrors,
];

/** Errors of every request that generates, except errors of its prompt. */
export const generationErrors: readonly GgufdError[] = [...preparationErrors, ...queueErrors];

/** Error for a prompt, other than a conversation, that exceeds the context. */
export const promptLengthError = new GgufdError(
  "context_length_exceeded",
  "This model's maximum context length is 2048 tokens, the prompt has 3000.",
  { param: "prompt", exceeded: { promptTokens: 3000, contextSize: 2048 } },
);

/** Errors of a conversation that is rendered as a prompt. */
export const chatErrors = [
  new GgufdError(
    "context_length_exceeded",
    "This model's maximum context length is 2048 tokens, the messages have 3000.",
    { param: "messages", exceeded: { promptTokens: 3000, contextSize: 2048 } },
  ),
  new GgufdError(
    "chat_template_error",
    "The model's chat template refused the messages: roles must alternate.",
    { param: "messages" },
  ),
];

/** Responses of the connection layer, which every operation can return. */
export const connectionErrorResponses = describeErrorResponses(openAiErrorFormat, [
  new GgufdError("headers_too_large", "The request's headers are too large."),
]);

/**
 * Lists the errors of every request for embeddings or scores, except errors of its fields.
 * @param param field of the input that is too long
 */
export function listPoolingErrors(param: string): readonly GgufdError[] {
  return [
    new GgufdError(
      "context_length_exceeded",
      `${param}: expected at most 512 tokens, including special tokens, got 600.`,
      { param },
    ),
    unknownModelError,
    internalError,
    ...noModelErrors,
    new GgufdError("server_overloaded", "The server is overloaded: 256 requests are waiting.", {
      retryAfterSeconds: 4,
    }),
  ];
}
