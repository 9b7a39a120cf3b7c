import type { ApiPart, PathOperations } from "../description/part.js";
import { jsonResponse } from "../description/responses.js";
import { noApiKey } from "../description/security.js";
import { HEALTH_PATH, healthBody, toHealth } from "./health.js";
import { serviceIndex, toServiceIndex } from "./service-index.js";

const tag = "Service";

const ok = jsonResponse({
  description: "Ready for traffic.",
  schema: healthBody,
  example: toHealth({ readiness: { state: "ready" }, models: [] }).body,
});

function readiness(operationId: string, summary: string): PathOperations {
  return {
    get: {
      operationId,
      summary,
      tags: [tag],
      security: noApiKey,
      responses: {
        200: ok,
        503: jsonResponse({
          description:
            "Not ready for traffic: the model is loading or restarting, or the server is shutting down.",
          schema: healthBody,
          example: toHealth({ readiness: { state: "loading", progress: 0.4 }, models: [] }).body,
        }),
      },
    },
  };
}

/** The service index and the health checks. */
export const systemPart: ApiPart = {
  tags: [{ name: tag, description: "The service index and the health checks." }],
  paths: {
    "/": {
      get: {
        operationId: "getIndex",
        summary: "Get the service index",
        tags: [tag],
        security: noApiKey,
        responses: {
          200: jsonResponse({
            description: "The name of the server and the paths of its main resources.",
            schema: serviceIndex,
            example: toServiceIndex("0.1.0"),
          }),
        },
      },
    },
    [HEALTH_PATH]: readiness("getHealth", "Check readiness"),
    [`${HEALTH_PATH}/ready`]: readiness("getReadiness", "Check readiness (alias)"),
    [`${HEALTH_PATH}/live`]: {
      get: {
        operationId: "getLiveness",
        summary: "Check liveness",
        tags: [tag],
        security: noApiKey,
        responses: { 200: ok },
      },
    },
  },
};
