import { z } from "zod";
import type { Readiness } from "../../core/model-directory.js";

/** Path prefix of the health checks. */
export const HEALTH_PATH = "/health";

/** The body of a readiness check. */
export const healthBody = z
  .object({
    status: z.enum(["ok", "loading model", "restarting model", "shutting down"]).meta({
      description: "`ok`: ready for traffic. The values are llama-server's where it defines them.",
    }),
    progress: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .meta({ description: "Fraction of the model that is loaded, from 0 to 1." }),
  })
  .meta({ id: "Health" });

/** The response to a readiness check. */
export interface Health {
  readonly statusCode: 200 | 503;
  readonly body: Readonly<z.infer<typeof healthBody>>;
}

/** Maps readiness to the response, with llama-server's status values where it defines them. */
export function toHealth(readiness: Readiness): Health {
  switch (readiness.state) {
    case "ready":
      return { statusCode: 200, body: { status: "ok" } };
    case "loading":
      return {
        statusCode: 503,
        body: { status: "loading model", progress: readiness.progress },
      };
    case "restarting":
      return { statusCode: 503, body: { status: "restarting model" } };
    case "draining":
      return { statusCode: 503, body: { status: "shutting down" } };
  }
}
