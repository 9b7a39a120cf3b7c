import type {
  Message as AnthropicMessage,
  MessageTokensCount as AnthropicTokensCount,
  RawMessageStreamEvent,
} from "@anthropic-ai/sdk/resources/messages";
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionMessage,
} from "openai/resources/chat/completions";
import type { Model } from "openai/resources/models";
import { describe, expectTypeOf, it } from "vitest";
import type { z } from "zod";
import type {
  Message,
  MessageStreamEvent,
  MessageTokensCount,
} from "../../../src/api/anthropic/response-schema.js";
import type { ErrorEnvelope, openAiError } from "../../../src/api/fields/error-envelope.js";
import type { ListedModel } from "../../../src/api/models/models.js";
import type { Completion, ReportedMessage } from "../../../src/api/openai/answer.js";
import type { CompletionChunk } from "../../../src/api/openai/stream.js";

/** A deeply read-only value. */
type DeepReadonly<Value> = { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> };

describe("the described response types of the inference routes", () => {
  it("extend the OpenAI SDK's types", () => {
    expectTypeOf<Completion>().toExtend<ChatCompletion>();
    expectTypeOf<ReportedMessage>().toExtend<ChatCompletionMessage>();
    expectTypeOf<CompletionChunk>().toExtend<ChatCompletionChunk>();
    expectTypeOf<ListedModel>().toExtend<Model>();
  });

  it("extend the Anthropic SDK's types", () => {
    expectTypeOf<Message>().toExtend<AnthropicMessage>();
    expectTypeOf<MessageStreamEvent>().toExtend<RawMessageStreamEvent>();
    expectTypeOf<MessageTokensCount>().toExtend<AnthropicTokensCount>();
  });

  it("use the implementation's error type", () => {
    expectTypeOf<ErrorEnvelope>().toExtend<DeepReadonly<z.input<typeof openAiError>>>();
    expectTypeOf<DeepReadonly<z.input<typeof openAiError>>>().toExtend<ErrorEnvelope>();
  });
});
