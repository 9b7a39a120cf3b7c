import type { ChatCompletion, ChatCompletionChunk } from "openai/resources/chat/completions";
import type { Model } from "openai/resources/models";
import { describe, expectTypeOf, it } from "vitest";
import type { z } from "zod";
import type { ErrorEnvelope } from "../../src/api/openai/error-envelope.js";
import type {
  Completion,
  CompletionChunk,
  ListedModel,
  openAiError,
} from "../../src/api/openai/response-schema.js";

/** A value that nobody changes. */
type Fixed<Value> = { readonly [Key in keyof Value]: Fixed<Value[Key]> };

describe("what the inference routes are described to send", () => {
  it("is what OpenAI's own client reads", () => {
    expectTypeOf<Completion>().toExtend<ChatCompletion>();
    expectTypeOf<CompletionChunk>().toExtend<ChatCompletionChunk>();
    expectTypeOf<ListedModel>().toExtend<Model>();
  });

  it("is what they send as errors", () => {
    expectTypeOf<ErrorEnvelope>().toExtend<Fixed<z.input<typeof openAiError>>>();
    expectTypeOf<Fixed<z.input<typeof openAiError>>>().toExtend<ErrorEnvelope>();
  });
});
