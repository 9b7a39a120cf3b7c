import type { z } from "zod";
import { GgufdError, refusalOf } from "../../../core/errors.js";
import {
  internalError,
  invalidJson,
  keyErrors,
  readOnlyApiKey,
  unsupportedMediaType,
} from "../../description/example-errors.js";
import type { ApiPart, PathOperations } from "../../description/part.js";
import { errorResponses, JSON_TYPE, jsonResponse } from "../../description/responses.js";
import { optionalApiKey } from "../../description/security.js";
import { inferenceTag, noModelErrors, openAiErrorFormat, unknownModel } from "../openapi.js";
import { chatCompletionRequest } from "../schema.js";
import {
  applyTemplateResponse,
  detokenizeRequest,
  detokenizeResponse,
  tokenizeRequest,
  tokenizeResponse,
} from "./schema.js";

interface TextOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly request: z.ZodType;
  readonly exampleRequest: object;
  readonly response: z.ZodType;
  readonly exampleResponse: object;
  /** An invalid request's field and reason. */
  readonly invalid: { readonly field: string; readonly reason: string };
  readonly furtherErrors?: readonly GgufdError[];
}

function textOperation(operation: TextOperation): PathOperations {
  const { operationId, summary, description, furtherErrors = [] } = operation;
  return {
    post: {
      operationId,
      summary,
      description,
      tags: [inferenceTag],
      security: optionalApiKey,
      requestBody: {
        required: true,
        content: { [JSON_TYPE]: { schema: operation.request, example: operation.exampleRequest } },
      },
      responses: {
        200: jsonResponse({
          description: "The answer.",
          schema: operation.response,
          example: operation.exampleResponse,
        }),
        ...errorResponses(openAiErrorFormat, [
          refusalOf("invalid_request", [operation.invalid]),
          invalidJson,
          ...furtherErrors,
          ...keyErrors,
          readOnlyApiKey,
          unknownModel,
          new GgufdError("payload_too_large", "body: expected at most 4194304 bytes, got more."),
          unsupportedMediaType,
          internalError,
          ...noModelErrors,
        ]),
      },
    },
  };
}

/** What clients of llama.cpp and vLLM ask about texts. */
export const textsPart: ApiPart = {
  tags: [],
  paths: {
    "/tokenize": textOperation({
      operationId: "tokenize",
      summary: "Tokenise a text",
      description: "With `content` as llama-server does, with `prompt` as vLLM does.",
      request: tokenizeRequest,
      exampleRequest: { content: "Hello" },
      response: tokenizeResponse,
      exampleResponse: { tokens: [15496], count: 1, max_model_len: 2048 },
      invalid: {
        field: "content",
        reason: "expected a string of at most 1048576 characters, got 7",
      },
    }),
    "/detokenize": textOperation({
      operationId: "detokenize",
      summary: "The text of tokens",
      description: "Bytes that are no text become replacement characters.",
      request: detokenizeRequest,
      exampleRequest: { tokens: [15496] },
      response: detokenizeResponse,
      exampleResponse: { content: "Hello", prompt: "Hello" },
      invalid: { field: "tokens.0", reason: "expected a token id from 0 to 1983, got 99999" },
    }),
    "/apply-template": textOperation({
      operationId: "applyTemplate",
      summary: "Render a conversation",
      description:
        "The prompt that the model's chat template makes of a chat completion request. Texts that look like control tokens are in it as the client wrote them: a completion of this conversation does not read them as such.",
      request: chatCompletionRequest,
      exampleRequest: { messages: [{ role: "user", content: "Hello!" }] },
      response: applyTemplateResponse,
      exampleResponse: { prompt: "<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n" },
      invalid: { field: "messages", reason: "expected at least one message" },
    }),
  },
};
