import { metric } from "../../live-metrics/live-metrics.js";
import { parsePrometheusText, type Sample } from "../../live-metrics/prometheus-text.js";
import { sumSamples } from "../../live-metrics/scrape.js";
import type { Client } from "../api/client.js";

/** Number of tokens below which a mean says little. */
const LEAST_TOKENS = 20;

/** Reads the mean speed of a model's answers since the server started. @throws {ApiError} */
export async function readSpeed(client: Client, model: string): Promise<number | undefined> {
  return computeSpeed(parsePrometheusText(await client.text("/metrics")), model);
}

/**
 * Computes the mean speed of a model's answers in tokens per second.
 * @returns `undefined` if the model has generated too little
 */
export function computeSpeed(samples: readonly Sample[], model: string): number | undefined {
  const ofModel = samples.filter(({ labels }) => labels.model_name === model);
  const seconds = sumSamples(ofModel, `${metric.interTokenLatency}_sum`) ?? 0;
  const tokens = sumSamples(ofModel, `${metric.interTokenLatency}_count`) ?? 0;
  return tokens < LEAST_TOKENS || seconds === 0 ? undefined : tokens / seconds;
}
