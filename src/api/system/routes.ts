import { z } from "zod";
import { access } from "../../core/api-keys.js";
import type { DescribedRoute, ModelContext } from "../description/described-route.js";
import { DOCS_PATH, JSON_PATH } from "../description/docs-page.js";
import { jsonResponse } from "../description/responses.js";
import { HEALTH_PATH, type Health, healthBody, toHealth } from "./health.js";

/** The context of handlers that report on the server itself. */
export interface SystemContext extends ModelContext {
  /** The package version. */
  readonly version: string;
}

/** The body of `/`. */
const serviceIndex = z
  .object({
    name: z.literal("ggufd"),
    version: z.string().meta({ description: "The package version." }),
    models: z.string().meta({ description: "Path of the list of models." }),
    health: z.string().meta({ description: "Path of the readiness check." }),
    openapi: z.string().meta({ description: "Path of the OpenAPI description." }),
    docs: z.string().meta({ description: "Path of the documentation page." }),
  })
  .meta({ id: "ServiceIndex" });

type ServiceIndex = Readonly<z.infer<typeof serviceIndex>>;

/** @param version the package version. */
function toServiceIndex(version: string): ServiceIndex {
  return {
    name: "ggufd",
    version,
    models: "/v1/models",
    health: HEALTH_PATH,
    openapi: JSON_PATH,
    docs: DOCS_PATH,
  };
}

const ok = jsonResponse({
  description: "Ready for traffic.",
  schema: healthBody,
  example: toHealth({ readiness: { state: "ready" }, models: [] }).body,
});

const indexRoute: DescribedRoute<SystemContext> = {
  method: "GET",
  path: "/",
  access: access.open,
  description: {
    operationId: "getIndex",
    summary: "Get the service index",
    responses: {
      200: jsonResponse({
        description: "The name of the server and the paths of its main resources.",
        schema: serviceIndex,
        example: toServiceIndex("0.1.0"),
      }),
    },
    errors: [],
  },
  handle: async ({ version }) => toServiceIndex(version),
};

const readinessRoute = (
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
      200: ok,
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
    responses: { 200: ok },
    errors: [],
  },
  handle: async (): Promise<Health["body"]> => ({ status: "ok" }),
};

/** The service index, and checks of health. */
export const systemRoutes: readonly DescribedRoute<SystemContext>[] = [
  indexRoute,
  readinessRoute(HEALTH_PATH, "getHealth", "Check readiness"),
  readinessRoute(`${HEALTH_PATH}/ready`, "getReadiness", "Check readiness (alias)"),
  livenessRoute,
];
