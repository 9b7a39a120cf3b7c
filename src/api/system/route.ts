import type { FastifyPluginAsync } from "fastify";
import type { ModelDirectory } from "../../core/model-directory.js";
import { HEALTH_PATH, type Health, toHealth } from "./health.js";
import { toServiceIndex } from "./service-index.js";

export interface SystemRoutesOptions {
  readonly models: ModelDirectory;
  readonly version: string;
}

/** The service index `/`, and `/health`, `/health/ready` and `/health/live` for health checks. */
export function systemRoutes({ models, version }: SystemRoutesOptions): FastifyPluginAsync {
  return async (app) => {
    app.get("/", async () => toServiceIndex(version));

    app.get(`${HEALTH_PATH}/live`, async (): Promise<Health["body"]> => ({ status: "ok" }));

    for (const path of [HEALTH_PATH, `${HEALTH_PATH}/ready`]) {
      app.get(path, async (_request, reply) => {
        const { statusCode, body } = toHealth(models);
        return reply.code(statusCode).send(body);
      });
    }
  };
}
