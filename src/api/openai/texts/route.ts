import assert from "node:assert/strict";
import type { FastifyPluginAsync } from "fastify";
import type { ModelDirectory, ServedModel } from "../../../core/model-directory.js";
import type { TextAnswer, TextQuestion } from "../../../core/text-question.js";
import { parseBody } from "../../../validation/parse-body.js";
import { dropNulls } from "../drop-nulls.js";
import { chatCompletionRequest } from "../schema.js";
import { toChatPrompt } from "../translate.js";
import { detokenizeRequest, tokenizeRequest } from "./schema.js";
import { toQuestion, toTokenizeResponse } from "./tokenize.js";

/** What clients of llama.cpp and vLLM ask about texts. */
export function textRoutes(models: ModelDirectory): FastifyPluginAsync {
  return async (app) => {
    app.post("/tokenize", async ({ body }) => {
      const request = await parseBody(tokenizeRequest, dropNulls(body));
      const served = await models.find(request.model);
      const answer = await served.texts.ask(toQuestion(request));
      assert(answer.type === "tokens", "a text that is tokenised becomes tokens");
      return toTokenizeResponse(answer, request, served.engine.model.contextSize);
    });

    app.post("/detokenize", async ({ body }) => {
      const { model, tokens } = await parseBody(detokenizeRequest, dropNulls(body));
      const text = await textOf(await models.find(model), { type: "detokenize", tokens });
      return { content: text, prompt: text };
    });

    app.post("/apply-template", async ({ body }) => {
      const request = await parseBody(chatCompletionRequest, dropNulls(body));
      const prompt = toChatPrompt(request);
      const served = await models.resolve("generation", request.model);
      return { prompt: await textOf(served, { type: "render", prompt }) };
    });
  };
}

async function textOf(
  { texts }: ServedModel,
  question: Extract<TextQuestion, { type: "detokenize" | "render" }>,
): Promise<string> {
  const answer: TextAnswer = await texts.ask(question);
  assert(answer.type === "text", `a question to ${question.type} is answered with a text`);
  return answer.text;
}
