import { NotPrometheusTextError, parsePrometheusText } from "../../live-metrics/prometheus-text.js";
import type { Scrape } from "../../live-metrics/scrape.js";
import { reasonOfFailedFetch } from "../daemon/failed-fetch.js";
import { fetchText } from "../daemon/fetch-text.js";

/** Result of a request for metrics. */
export type Reading =
  | { readonly type: "scrape"; readonly scrape: Scrape }
  | { readonly type: "failure"; readonly reason: string };

export interface MetricsSource {
  /** URL of the server without a trailing slash; for a Unix socket, `unix:PATH`. */
  readonly url: string;
  readonly apiKey?: string | undefined;
}

/** Timeout of a scrape; a healthy server answers faster. */
const TIMEOUT_MS = 5000;
const METRICS_PATH = "/metrics";
/** Prefix of all ggufd metrics. */
const PREFIX = "ggufd:";

/** Reads the metrics of a server. Never rejects. */
export async function readMetrics({ url, apiKey }: MetricsSource): Promise<Reading> {
  try {
    const { ok, status, text } = await fetchText(url, METRICS_PATH, {
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!ok) return toFailure(describeRefusal(status));
    const samples = parsePrometheusText(text);
    if (!samples.some(({ name }) => name.startsWith(PREFIX))) {
      return toFailure(`not a ggufd server: ${METRICS_PATH} has metrics of another program`);
    }
    return { type: "scrape", scrape: { atMs: Date.now(), samples } };
  } catch (error) {
    if (error instanceof NotPrometheusTextError) {
      return toFailure(`not a ggufd server: ${METRICS_PATH} has no metrics`);
    }
    return toFailure(`cannot be reached: ${describeError(error)}`);
  }
}

function toFailure(reason: string): Reading {
  return { type: "failure", reason };
}

function describeRefusal(status: number): string {
  switch (status) {
    case 401:
      return "requires an API key: set --api-key or GGUFD_API_KEY";
    case 403:
      return "denied access to its metrics: expected an API key with the scope admin";
    case 404:
      return `has no ${METRICS_PATH}; check that it is a ggufd server`;
    default:
      return `answers ${status} to GET ${METRICS_PATH}`;
  }
}

function describeError(error: unknown): string {
  const isTimeout = error instanceof Error && error.name === "TimeoutError";
  return isTimeout ? `no answer within ${TIMEOUT_MS / 1000} seconds` : reasonOfFailedFetch(error);
}
