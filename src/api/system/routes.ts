import { access } from "../../core/api-keys.js";
import type { DescribedRoute, ModelContext } from "../description/described-route.js";
import { jsonResponse } from "../description/responses.js";
import { HEALTH_PATH, type Health, healthBody, toHealth } from "./health.js";

const readyResponse = jsonResponse({
  description: "Ready for traffic.",
  schema: healthBody,
  example: toHealth({ readiness: { state: "ready" }, models: [] }).body,
});

const createReadinessRoute = (
  path: string,
  operationId: string,
  summary: string,
): DescribedRoute<ModelContext> => ({
  method: "GET",
  path,
  access: access.open,
  description: {
    operationId,
    summary,
    responses: {
      200: readyResponse,
      503: jsonResponse({
        description:
          "Not ready for traffic: the model is loading or restarting, or the server is shutting down.",
        schema: healthBody,
        example: toHealth({ readiness: { state: "loading", progress: 0.4 }, models: [] }).body,
      }),
    },
    errors: [],
  },
  async handle({ models }, _request, reply) {
    const { statusCode, body } = toHealth(models);
    return reply.code(statusCode).send(body);
  },
});

const livenessRoute: DescribedRoute = {
  method: "GET",
  path: `${HEALTH_PATH}/live`,
  access: access.open,
  description: {
    operationId: "getLiveness",
    summary: "Check liveness",
    responses: { 200: readyResponse },
    errors: [],
  },
  handle: async (): Promise<Health["body"]> => ({ status: "ok" }),
};

/** Health check routes. */
export const systemRoutes: readonly DescribedRoute<ModelContext>[] = [
  createReadinessRoute(HEALTH_PATH, "getHealth", "Check readiness"),
  createReadinessRoute(`${HEALTH_PATH}/ready`, "getReadiness", "Check readiness (alias)"),
  livenessRoute,
];
