import type { FastifyPluginAsync } from "fastify";
import type { ModelDirectory } from "../../core/model-directory.js";
import { toHealth } from "./health.js";

export interface SystemRoutesOptions {
  readonly models: ModelDirectory;
  readonly version: string;
}

/** What load balancers, containers and the curious ask: `/`, `/health` and its two halves. */
export function systemRoutes({ models, version }: SystemRoutesOptions): FastifyPluginAsync {
  return async (app) => {
    app.get("/", async () => ({ name: "ggufd", version, models: "/v1/models", health: "/health" }));

    app.get("/health/live", async () => ({ status: "ok" }));

    for (const path of ["/health", "/health/ready"]) {
      app.get(path, async (_request, reply) => {
        const { statusCode, body } = toHealth(models.readiness);
        return reply.code(statusCode).send(body);
      });
    }
  };
}
