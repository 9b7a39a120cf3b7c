import type { Readiness } from "../../core/model-directory.js";

/** The answer of a readiness check. */
export interface Health {
  readonly statusCode: 200 | 503;
  readonly body: { readonly status: string; readonly progress?: number };
}

/** Whether traffic may come, in llama-server's words where it has them. */
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
