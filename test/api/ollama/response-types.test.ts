import type {
  ModelResponse,
  ChatResponse as OllamaChatResponse,
  GenerateResponse as OllamaGenerateResponse,
  ShowResponse,
  VersionResponse,
} from "ollama";
import { describe, expectTypeOf, it } from "vitest";
import type { z } from "zod";
import type { ListedModels, RunningModels, ShownModel } from "../../../src/api/ollama/models.js";
import type {
  ChatResponse,
  GenerateResponse,
  version,
} from "../../../src/api/ollama/response-schema.js";

/** The SDK types timestamps as `Date`, but they are strings on the wire and in its results. */
type OnTheWire<Value, Times extends keyof Value> = Omit<Value, Times> & Record<Times, string>;

/** Fields of the last line and of a complete answer. */
type Ended<Answer> = Answer & Required<Omit<Answer, "logprobs" | "thinking">>;

describe("the described response types of the Ollama API", () => {
  it("extend the ollama SDK's types", () => {
    expectTypeOf<Ended<ChatResponse>>().toExtend<OnTheWire<OllamaChatResponse, "created_at">>();
    // `context` is deprecated, and never sent.
    expectTypeOf<Ended<GenerateResponse>>().toExtend<
      OnTheWire<Omit<OllamaGenerateResponse, "context">, "created_at">
    >();
    expectTypeOf<ListedModels["models"][number]>().toExtend<
      OnTheWire<Omit<ModelResponse, "expires_at" | "size_vram">, "modified_at">
    >();
    expectTypeOf<RunningModels["models"][number]>().toExtend<
      OnTheWire<Omit<ModelResponse, "modified_at">, "expires_at">
    >();
    // The SDK types an object as a map.
    expectTypeOf<Omit<ShownModel, "model_info">>().toExtend<
      OnTheWire<Omit<ShowResponse, "model_info">, "modified_at">
    >();
    expectTypeOf<z.infer<typeof version>>().toExtend<VersionResponse>();
  });
});
