import { setTimeout as delay, setInterval } from "node:timers/promises";
import type { ChatRequest } from "../client/chat-request.js";
import type { HealthRecord } from "../client/http-client.js";
import type { RequestRecord } from "../client/request-record.js";
import { outputRateMeasure, wallMeasure } from "./common-measures.js";
import { outputRate, p50AndP99, wallSeconds } from "./reductions.js";
import type { Load, Scenario } from "./scenario.js";

const PROBE_INTERVAL_MS = 50;
/**
 * Streams opened per burst; opening all at once would block the client's event loop and distort the
 * probes.
 */
const STREAMS_PER_BURST = 20;
const BURST_INTERVAL_MS = 5;

const sizes = {
  full: { promptTokens: 32, maxTokens: 32 },
  quick: { promptTokens: 16, maxTokens: 8 },
} as const;

/** Many concurrent streams, most of them queued, while a supervisor probes the health route. */
export const connections: Scenario = {
  name: "connections",
  description: "concurrent streams, far more than slots, while /health is probed 20 times a second",
  comparison: { kind: "peer" },
  defaults: {
    full: { model: "15m", clients: [1000], slots: 32, contextSize: 512 },
    quick: { model: "tiny", clients: [50], slots: 4, contextSize: 512 },
  },
  measures: {
    errors: { label: "errors", unit: "", better: "lower" },
    healthP50: { label: "/health p50", unit: "ms", better: "lower" },
    healthP99: { label: "/health p99", unit: "ms", better: "lower" },
    wall: wallMeasure,
    outputRate: outputRateMeasure,
  },
  targets: [
    { measure: "errors", clients: 1000, of: "ours", atMost: 0 },
    { measure: "healthP99", clients: 1000, of: "ours", atMost: 50 },
  ],
  async run(load) {
    const { promptTokens, maxTokens } = sizes[load.effort];
    const requests = Array.from({ length: load.clients }, (_, number) => {
      const content = load.prompts.text(String(number), promptTokens);
      return { messages: [{ role: "user" as const, content }], maxTokens };
    });
    const stop = new AbortController();
    const probes = probeHealth(load, stop.signal);
    const records = await openStreams(load, requests);
    stop.abort();
    return connectionMeasures(records, await probes);
  },
};

/** Measures of one run; failed probes count as errors. */
export function connectionMeasures(
  records: readonly RequestRecord[],
  probes: readonly HealthRecord[],
) {
  const { p50, p99 } = p50AndP99(probes.map(({ latencyMs }) => latencyMs));
  return {
    errors: [...records, ...probes].filter(({ error }) => error !== undefined).length,
    healthP50: p50,
    healthP99: p99,
    wall: wallSeconds(records),
    outputRate: outputRate(records),
  };
}

/** Opens the streams in short bursts and waits for all of them. */
async function openStreams(
  { complete }: Load,
  requests: readonly ChatRequest[],
): Promise<RequestRecord[]> {
  const streams: Promise<RequestRecord>[] = [];
  for (const request of requests) {
    if (streams.length > 0 && streams.length % STREAMS_PER_BURST === 0)
      await delay(BURST_INTERVAL_MS);
    streams.push(complete(request));
  }
  return Promise.all(streams);
}

/** Probes at a fixed rate, without waiting for the previous probe. */
async function probeHealth({ health }: Load, stop: AbortSignal): Promise<HealthRecord[]> {
  const probes = [health()];
  try {
    for await (const _ of setInterval(PROBE_INTERVAL_MS, undefined, { signal: stop })) {
      probes.push(health());
    }
  } catch (error) {
    if (!stop.aborted) throw error;
  }
  return Promise.all(probes);
}
