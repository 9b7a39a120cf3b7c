import { z } from "zod";
import { access } from "../../core/api-keys.js";
import type { DescribedRoute } from "../description/described-route.js";
import { response } from "../description/responses.js";

/** All metrics in text format. */
export interface MetricsPage {
  readonly contentType: string;
  readonly text: string;
}

/** Source of the metrics. */
export interface MetricsSource {
  read(): Promise<MetricsPage>;
  /** Start of the process, in seconds since the Unix epoch. */
  readonly startSeconds: number;
}

/** Dependencies of the metrics route. */
export interface MetricsContext {
  readonly metrics: MetricsSource;
}

const example = `# HELP ggufd:num_requests_running Answers that have a slot.
# TYPE ggufd:num_requests_running gauge
ggufd:num_requests_running{model_name="ggufd-mini"} 3
`;

/** Metrics, at Prometheus' default path. */
export const metricsRoute: DescribedRoute<MetricsContext> = {
  method: "GET",
  path: "/metrics",
  access: access.admin,
  description: {
    operationId: "getMetrics",
    summary: "Get the metrics",
    description:
      "Metrics for Prometheus, listed in docs/operations.md. Later versions may add metrics. Counters restart at 0 with the process.",
    responses: {
      200: response({
        description: "The metrics, in Prometheus text format.",
        content: { "text/plain": { schema: z.string(), example } },
      }),
    },
    errors: [],
  },
  async handle({ metrics }, _request, reply) {
    const { contentType, text } = await metrics.read();
    return reply
      .type(contentType)
      .header("cache-control", "no-store")
      .header("process-start-time-unix", metrics.startSeconds)
      .send(text);
  },
};
