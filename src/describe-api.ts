import { messagesPart } from "./api/anthropic/openapi.js";
import { type ApiDocument, createApiDocument } from "./api/description/document.js";
import { descriptionPart } from "./api/description/openapi.js";
import { metricsPart } from "./api/metrics/openapi.js";
import { ollamaPart } from "./api/ollama/openapi.js";
import { textCompletionPart } from "./api/openai/completions/openapi.js";
import { embeddingsPart } from "./api/openai/embeddings/openapi.js";
import { infillPart } from "./api/openai/infill/openapi.js";
import { nativePart } from "./api/openai/native/openapi.js";
import { connectionErrorResponses, openAiErrorFormat, openAiPart } from "./api/openai/openapi.js";
import { rerankPart } from "./api/openai/rerank/openapi.js";
import { responsesPart } from "./api/openai/responses/openapi.js";
import { scorePart } from "./api/openai/score/openapi.js";
import { textsPart } from "./api/openai/texts/openapi.js";
import { systemPart } from "./api/system/openapi.js";
import { plainTodosPart, simplerTodosPart } from "./api/todos/openapi.js";
import { conventionalTodosPart } from "./api/todos/v1/openapi.js";

/**
 * Describes every route of the server as an OpenAPI 3.1 document.
 * @param version the package version
 */
export function describeApi(version: string): ApiDocument {
  return createApiDocument({
    version,
    parts: [
      openAiPart,
      textCompletionPart,
      infillPart,
      nativePart,
      textsPart,
      embeddingsPart,
      rerankPart,
      scorePart,
      responsesPart,
      messagesPart,
      ollamaPart,
      conventionalTodosPart,
      plainTodosPart,
      systemPart,
      metricsPart(openAiErrorFormat),
      descriptionPart(openAiErrorFormat),
      simplerTodosPart,
    ],
    commonResponses: connectionErrorResponses,
  });
}
