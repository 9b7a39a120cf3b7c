import { describeGroup } from "./api/description/described-route.js";
import { type ApiDocument, createApiDocument } from "./api/description/document.js";
import { descriptionPart } from "./api/description/openapi.js";
import { metricsPart } from "./api/metrics/openapi.js";
import { connectionErrorResponses, openAiErrorFormat } from "./api/openai/openapi.js";
import { systemPart } from "./api/system/openapi.js";
import { plainTodosPart, simplerTodosPart } from "./api/todos/openapi.js";
import { conventionalTodosPart } from "./api/todos/v1/openapi.js";
import { routeGroups } from "./routes.js";

/**
 * Describes every route of the server as an OpenAPI 3.1 document.
 * @param version the package version
 */
export function describeApi(version: string): ApiDocument {
  return createApiDocument({
    version,
    parts: [
      ...routeGroups.map(describeGroup),
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
