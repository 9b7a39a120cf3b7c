import type { FastifyPluginAsync } from "fastify";
import type { MetricsSource } from "../../core/metrics-page.js";
import { METRICS_PATH } from "./metrics-path.js";

/** What the server has counted, for Prometheus. */
export function metricsRoutes(metrics: MetricsSource): FastifyPluginAsync {
  return async (app) => {
    app.get(METRICS_PATH, async (_request, reply) => {
      const { contentType, text } = await metrics.read();
      return reply.type(contentType).header("cache-control", "no-store").send(text);
    });
  };
}
