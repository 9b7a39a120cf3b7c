import { beforeAll, describe, expect, it } from "vitest";
import { findPublishedTool, PUBLISHED_TYPES } from "../../src/api/anthropic/published-tools.js";
import { messagesRequest } from "../../src/api/anthropic/schema.js";
import { toGenerationRequest as fromMessages } from "../../src/api/anthropic/translate.js";
import { toItems } from "../../src/api/responses/input-items.js";
import { PUBLISHED_TYPES as OPENAI_TYPES } from "../../src/api/responses/published-tools.js";
import { responseRequest } from "../../src/api/responses/schema.js";
import { listOfferedTools } from "../../src/api/responses/tools.js";
import { toGenerationRequest as fromResponse } from "../../src/api/responses/translate.js";
import { TOOL_FORMATS, type ToolFormat } from "../../src/core/output-format.js";
import { loadVocabularyOnly } from "../../src/engine/loading/model-loading.js";
import { readModelMetadata } from "../../src/engine/loading/model-metadata.js";
import { createPreparer, type PromptPreparer } from "../../src/engine/prompt-preparer.js";
import { readVocabulary } from "../../src/engine/text/vocabulary/vocabulary.js";
import { shippedModel } from "../support/shipped-model.js";

/** One version of each of Anthropic's tools: versions share the name, which must be unique. */
const anthropicTypes = PUBLISHED_TYPES.filter(
  (type, index) =>
    findPublishedTool(type)?.name !== findPublishedTool(PUBLISHED_TYPES[index + 1])?.name,
);

describe("a grammar for published tools", () => {
  let preparerOf: (toolFormat: ToolFormat) => PromptPreparer;
  beforeAll(async () => {
    const model = await loadVocabularyOnly(shippedModel);
    const vocabulary = readVocabulary(model);
    const metadata = readModelMetadata(model.fileInfo, "model.gguf");
    preparerOf = (toolFormat) =>
      createPreparer({
        ...{ vocabulary, metadata, contextSize: 10_000 },
        settings: { toolFormat, defaults: {} },
      });
  });

  it.each(TOOL_FORMATS)("is built from Anthropic's schemas: %s", (format) => {
    const screen = { display_width_px: 10, display_height_px: 10, enable_zoom: true };
    const names = anthropicTypes.map((type) => findPublishedTool(type)?.name);
    const body = {
      max_tokens: 5,
      messages: [{ role: "user", content: "Hi" }],
      tools: anthropicTypes.map((type, at) => ({ type, name: names[at], strict: true, ...screen })),
    };
    const request = fromMessages(messagesRequest.parse(body), "id");
    expect(preparerOf(format).prepare(request).reading.callable).toEqual(names);
  });

  it.each(TOOL_FORMATS)("is built from the schemas of OpenAI's calls: %s", (format) => {
    const body = responseRequest.parse({ tools: OPENAI_TYPES.map((type) => ({ type })) });
    const conversation = { earlier: [], input: toItems("Hi", () => undefined, "input") };
    const request = fromResponse(body, conversation, listOfferedTools(body.tools), "id");
    expect(preparerOf(format).prepare(request).reading.callable).toEqual(OPENAI_TYPES);
  });
});
