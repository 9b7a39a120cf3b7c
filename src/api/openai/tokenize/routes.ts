import assert from "node:assert/strict";
import type { z } from "zod";
import { access } from "../../../core/api-keys.js";
import { createRefusal } from "../../../core/errors.js";
import type { ServedModel } from "../../../core/model-directory.js";
import type { TextAnswer, TextQuestion } from "../../../core/text-question.js";
import { buildCaller } from "../../../http/caller.js";
import { parseBody } from "../../../validation/parse-body.js";
import type {
  DescribedRoute,
  ModelContext,
  RouteDescription,
} from "../../description/described-route.js";
import { jsonBody } from "../../description/request-body.js";
import { jsonResponse } from "../../description/responses.js";
import { modelErrors } from "../../fields/described-errors.js";
import { dropNulls } from "../../fields/nulls.js";
import { chatCompletionRequest } from "../schema.js";
import { selectPromptEnding, toChatPrompt } from "../translate.js";
import {
  applyTemplateResponse,
  detokenizeRequest,
  detokenizeResponse,
  tokenizeRequest,
  tokenizeResponse,
  toQuestion,
  toTokenizeResponse,
} from "./tokenize.js";

const postRoute = { method: "POST", access: access.inference } as const;

/** Tokenisation and chat templates for clients of llama.cpp and vLLM. */
export const textRoutes: readonly DescribedRoute<ModelContext>[] = [
  {
    ...postRoute,
    path: "/tokenize",
    description: describe({
      operationId: "tokenize",
      summary: "Tokenise a text",
      description:
        "Accepts llama-server's `content` and vLLM's `prompt`, and answers in the same format.",
      request: tokenizeRequest,
      exampleRequest: { content: "Hello" },
      response: tokenizeResponse,
      exampleResponse: { tokens: [15496], count: 1, max_model_len: 2048 },
      invalid: {
        field: "content",
        reason: "expected a string of at most 1048576 characters, got 7",
      },
    }),
    async handle({ models }, request, reply) {
      const body = await parseBody(tokenizeRequest, dropNulls(request.body));
      const served = await models.find(body.model, buildCaller(request, reply));
      const answer = await served.texts.ask(toQuestion(body));
      assert(answer.type === "tokens", `expected an answer of type tokens, got ${answer.type}`);
      return toTokenizeResponse(answer, body, served.engine.model.contextSize);
    },
  },
  {
    ...postRoute,
    path: "/detokenize",
    description: describe({
      operationId: "detokenize",
      summary: "Detokenise tokens",
      description: "Bytes that are not valid UTF-8 become replacement characters.",
      request: detokenizeRequest,
      exampleRequest: { tokens: [15496] },
      response: detokenizeResponse,
      exampleResponse: { content: "Hello", prompt: "Hello" },
      invalid: { field: "tokens.0", reason: "expected a token id from 0 to 1983, got 99999" },
    }),
    async handle({ models }, request, reply) {
      const { model, tokens } = await parseBody(detokenizeRequest, dropNulls(request.body));
      const served = await models.find(model, buildCaller(request, reply));
      const text = await askForText(served, { type: "detokenize", tokens });
      return { content: text, prompt: text };
    },
  },
  {
    ...postRoute,
    path: "/apply-template",
    description: describe({
      operationId: "applyTemplate",
      summary: "Render a conversation with the chat template",
      description:
        "Returns the prompt that the chat template produces for a chat completion request. With `add_generation_prompt: false` it ends after the final message. Text that looks like a control token is returned unchanged; chat completions treat it as text.",
      request: chatCompletionRequest,
      exampleRequest: { messages: [{ role: "user", content: "Hello!" }] },
      response: applyTemplateResponse,
      exampleResponse: { prompt: "<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n" },
      invalid: { field: "messages", reason: "expected at least one message" },
    }),
    async handle({ models }, request, reply) {
      const body = await parseBody(chatCompletionRequest, dropNulls(request.body));
      const prompt = toChatPrompt(body);
      const served = await models.resolve("generation", body.model, buildCaller(request, reply));
      const ending = selectPromptEnding(body);
      return { prompt: await askForText(served, { type: "render", prompt, ending }) };
    },
  },
];

interface TextOperation<Request extends z.ZodType, Response extends z.ZodType> {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly request: Request;
  readonly exampleRequest: z.input<Request>;
  readonly response: Response;
  readonly exampleResponse: z.input<Response>;
  /** Field and reason of an example error. */
  readonly invalid: { readonly field: string; readonly reason: string };
}

function describe<Request extends z.ZodType, Response extends z.ZodType>({
  request,
  exampleRequest,
  response,
  exampleResponse,
  invalid,
  ...named
}: TextOperation<Request, Response>): RouteDescription {
  return {
    ...named,
    requestBody: jsonBody(request, exampleRequest),
    responses: {
      200: jsonResponse({ description: "The answer.", schema: response, example: exampleResponse }),
    },
    errors: [createRefusal("invalid_request", [invalid]), ...modelErrors],
  };
}

async function askForText(
  { texts }: ServedModel,
  question: Extract<TextQuestion, { type: "detokenize" | "render" }>,
): Promise<string> {
  const answer: TextAnswer = await texts.ask(question);
  assert(
    answer.type === "text",
    `expected an answer of type text to ${question.type}, got ${answer.type}`,
  );
  return answer.text;
}
