import { Counter, Histogram, type Registry } from "prom-client";
import type { ErrorCode } from "../../core/errors.js";
import type { RequestBeginning, RequestEnd } from "../../core/request-observer.js";
import { HTTP_SECONDS } from "./buckets.js";

/** Counts HTTP requests, whatever they were about. */
export interface HttpMetrics {
  end(request: RequestBeginning, end: RequestEnd): void;
  error(code: ErrorCode): void;
}

/** Other methods have no route. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** @param errorCodes all that there are */
export function httpMetricsIn(registry: Registry, errorCodes: readonly ErrorCode[]): HttpMetrics {
  const registers = [registry];
  const requests = new Counter({
    name: "ggufd:http_requests_total",
    help: "Requests by route and class of status; cut: the client hung up first.",
    labelNames: ["method", "route", "status"],
    registers,
  });
  const duration = new Histogram({
    name: "ggufd:http_request_duration_seconds",
    help: "From the first byte of a request to the last of its answer, streams included.",
    labelNames: ["route"],
    buckets: HTTP_SECONDS,
    registers,
  });
  const errors = new Counter({
    name: "ggufd:errors_total",
    help: "Requests that ended with an error, by its code.",
    labelNames: ["code"],
    registers,
  });
  for (const code of errorCodes) errors.inc({ code }, 0);
  return {
    end({ method, route = "none" }, { status, durationMs, delivery }) {
      requests.inc({
        method: METHODS.has(method) ? method : "other",
        route,
        status: delivery === "complete" ? `${Math.floor(status / 100)}xx` : "cut",
      });
      duration.observe({ route }, durationMs / 1000);
    },
    error: (code) => errors.inc({ code }),
  };
}
