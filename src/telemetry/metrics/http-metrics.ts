import { Counter, Histogram, type Registry } from "prom-client";
import type { ErrorCode } from "../../core/errors.js";
import type { RequestBeginning, RequestEnd } from "../../core/request-observer.js";

/** Bucket bounds in seconds; large because long answers are streams. */
const HTTP_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
];

/** Counts HTTP requests of any route. */
export interface HttpMetrics {
  countRequest(request: RequestBeginning, end: RequestEnd): void;
  countError(code: ErrorCode): void;
}

/** Methods with their own label value; no route has any other method. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** @param errorCodes codes whose counters start at 0 */
export function createHttpMetrics(
  registry: Registry,
  errorCodes: readonly ErrorCode[],
): HttpMetrics {
  const registers = [registry];
  const requests = new Counter({
    name: "ggufd:http_requests_total",
    help: "Requests by route and status class; cut: the client disconnected first.",
    labelNames: ["method", "route", "status"],
    registers,
  });
  const duration = new Histogram({
    name: "ggufd:http_request_duration_seconds",
    help: "Time from the first byte of a request to the last byte of its answer, streams included.",
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
    countRequest({ method, route = "none" }, { status, durationMs, delivery }) {
      requests.inc({
        method: METHODS.has(method) ? method : "other",
        route,
        status: delivery === "complete" ? `${Math.floor(status / 100)}xx` : "cut",
      });
      duration.observe({ route }, durationMs / 1000);
    },
    countError: (code) => errors.inc({ code }),
  };
}

/** Tokens added by a stage of an answer. */
export interface AddedTokens {
  readonly prompt: number;
  readonly generation: number;
}

/** Counts usage per API key, by key name. */
export interface KeyMetrics {
  countKeyRequest(key: string): void;
  countKeyError(key: string): void;
  countKeyTokens(key: string, tokens: AddedTokens): void;
}

export function createKeyMetrics(registry: Registry): KeyMetrics {
  const createCounter = (name: string, help: string) =>
    new Counter({ name: `ggufd:key_${name}`, help, labelNames: ["key"], registers: [registry] });
  const requests = createCounter("requests_total", "Requests with this API key.");
  const errors = createCounter(
    "errors_total",
    "Requests with this API key that ended with an error.",
  );
  const prompt = createCounter("prompt_tokens_total", "Prompt tokens, cached ones included.");
  const generation = createCounter("generation_tokens_total", "Generated tokens.");
  return {
    countKeyRequest: (key) => {
      requests.inc({ key });
      for (const other of [errors, prompt, generation]) other.inc({ key }, 0);
    },
    countKeyError: (key) => errors.inc({ key }),
    countKeyTokens(key, added) {
      prompt.inc({ key }, added.prompt);
      generation.inc({ key }, added.generation);
    },
  };
}

/** Counts nothing. Per-key series are opt-in, because many keys can overload a metrics server. */
export const noKeyMetrics: KeyMetrics = {
  countKeyRequest: () => undefined,
  countKeyError: () => undefined,
  countKeyTokens: () => undefined,
};
