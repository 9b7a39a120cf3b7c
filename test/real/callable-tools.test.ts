import { beforeAll, describe, expect, it } from "vitest";
import type { RequestTool } from "../../src/api/fields/tool-schema.js";
import type { ChatCompletionRequest } from "../../src/api/openai/schema.js";
import { toGenerationRequest } from "../../src/api/openai/translate.js";
import { loadVocabularyOnly } from "../../src/engine/loading/model-loading.js";
import { readModelMetadata } from "../../src/engine/loading/model-metadata.js";
import { createPreparer, type PromptPreparer } from "../../src/engine/prompt-preparer.js";
import { readVocabulary } from "../../src/engine/text/vocabulary/vocabulary.js";
import { shippedModel } from "../support/shipped-model.js";

const functionTool = (name: string, strict = false): RequestTool => ({
  type: "function",
  function: { name, strict },
});
const free = [functionTool("add"), functionTool("sub")];

describe("the tool names accepted as calls by the shipped model", () => {
  let preparer: PromptPreparer;
  beforeAll(async () => {
    const model = await loadVocabularyOnly(shippedModel);
    preparer = createPreparer({
      vocabulary: readVocabulary(model),
      metadata: readModelMetadata(model.fileInfo, "model.gguf"),
      contextSize: 10_000,
      settings: { toolFormat: "auto", defaults: {} },
    });
  });

  it.each<[string, Partial<ChatCompletionRequest>, readonly string[] | undefined]>([
    ["all names by default", { tools: free }, undefined],
    [
      "the names of the tools if a call is required",
      { tools: free, tool_choice: "required" },
      ["add", "sub"],
    ],
    [
      "the name in tool_choice",
      { tools: free, tool_choice: { type: "function", function: { name: "sub" } } },
      ["sub"],
    ],
    [
      "the names of the allowed tools",
      {
        tools: free,
        tool_choice: {
          type: "allowed_tools",
          allowed_tools: {
            mode: "auto",
            tools: [{ type: "function", function: { name: "add" } }],
          },
        },
      },
      ["add"],
    ],
    [
      "the names of the tools if one is strict",
      { tools: [...free, functionTool("mul", true)] },
      ["add", "sub", "mul"],
    ],
    [
      "the names of the tools if one is custom",
      { tools: [...free, { type: "custom", custom: { name: "patch" } }] },
      ["add", "sub", "patch"],
    ],
    [
      "the names of the tools with a response format",
      { tools: free, response_format: { type: "json_object" } },
      ["add", "sub"],
    ],
  ])("are %s", (_, fields, names) => {
    const messages: ChatCompletionRequest["messages"] = [{ role: "user", content: "Hi" }];
    const prepared = preparer.prepare(toGenerationRequest({ messages, ...fields }, "id"));
    expect(prepared.reading.callable).toEqual(names);
  });
});
