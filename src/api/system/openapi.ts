import { jsonAnswer } from "../description/answers.js";
import type { ApiPart, PathOperations } from "../description/part.js";
import { noKey } from "../description/security.js";
import { HEALTH_PATH, healthBody, toHealth } from "./health.js";
import { serviceIndex, toServiceIndex } from "./service-index.js";

const tag = "Service";

const ok = jsonAnswer({
  description: "Traffic may come.",
  schema: healthBody,
  example: toHealth({ state: "ready" }).body,
});

function readiness(operationId: string, summary: string): PathOperations {
  return {
    get: {
      operationId,
      summary,
      tags: [tag],
      security: noKey,
      responses: {
        200: ok,
        503: jsonAnswer({
          description: "No traffic now: the model is loaded or started again, or the server ends.",
          schema: healthBody,
          example: toHealth({ state: "loading", progress: 0.4 }).body,
        }),
      },
    },
  };
}

/** The index and the health checks. */
export const systemPart: ApiPart = {
  tags: [{ name: tag, description: "What runs here, and whether it may be asked." }],
  paths: {
    "/": {
      get: {
        operationId: "getIndex",
        summary: "Who answers here",
        tags: [tag],
        security: noKey,
        responses: {
          200: jsonAnswer({
            description: "The name of the server and where to go on.",
            schema: serviceIndex,
            example: toServiceIndex("0.1.0"),
          }),
        },
      },
    },
    [HEALTH_PATH]: readiness("getHealth", "May traffic come"),
    [`${HEALTH_PATH}/ready`]: readiness("getReadiness", "May traffic come, under another name"),
    [`${HEALTH_PATH}/live`]: {
      get: {
        operationId: "getLiveness",
        summary: "Does the server run",
        tags: [tag],
        security: noKey,
        responses: { 200: ok },
      },
    },
  },
};
