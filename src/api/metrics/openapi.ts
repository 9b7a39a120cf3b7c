import { z } from "zod";
import { keyErrors, missingScope } from "../description/example-errors.js";
import type { ApiPart } from "../description/part.js";
import { type ErrorFormat, errorResponses, response } from "../description/responses.js";
import { optionalApiKey } from "../description/security.js";
import { METRICS_PATH } from "./metrics-path.js";

const example = `# HELP ggufd:num_requests_running Answers that have a slot.
# TYPE ggufd:num_requests_running gauge
ggufd:num_requests_running{model_name="ggufd-mini"} 3
`;

/**
 * The metrics.
 * @param errorFormat format of the errors of keys
 */
export function metricsPart(errorFormat: ErrorFormat): ApiPart {
  return {
    tags: [],
    paths: {
      [METRICS_PATH]: {
        get: {
          operationId: "getMetrics",
          summary: "Get the metrics",
          description:
            "What the server has counted, for Prometheus. The metrics are named in docs/operations.md; new ones may come, and counters begin at 0 when a process is restarted.",
          tags: ["Service"],
          security: optionalApiKey,
          responses: {
            200: response({
              description: "The metrics, in Prometheus' text format.",
              content: { "text/plain": { schema: z.string(), example } },
            }),
            ...errorResponses(errorFormat, [...keyErrors, missingScope("admin", "GET /metrics")]),
          },
        },
      },
    },
  };
}
