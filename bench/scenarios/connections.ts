import { setTimeout as delay, setInterval } from "node:timers/promises";
import type { ChatRequest } from "../client/chat-request.js";
import type { HealthRecord } from "../client/http-client.js";
import type { RequestRecord } from "../client/request-record.js";
import { outputRateMeasure, wallMeasure } from "./common-measures.js";
import { middleAndTail, outputRate, wallSeconds } from "./reductions.js";
import type { Load, Scenario } from "./scenario.js";

const PROBE_EVERY_MS = 50;
/** All streams in one go would keep the client from noticing that a probe is answered. */
const OPENED_AT_A_TIME = 20;
const PAUSE_MS = 5;

const sizes = {
  full: { promptTokens: 32, maxTokens: 32 },
  quick: { promptTokens: 16, maxTokens: 8 },
} as const;

/** Very many streams at once, most of them waiting, and a supervisor that asks how it goes. */
export const connections: Scenario = {
  name: "connections",
  description:
    "streams open at once, far more than slots, while /health is asked 20 times a second",
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
    const over = new AbortController();
    const probes = probeHealth(load, over.signal);
    const records = await openStreams(load, requests);
    over.abort();
    return connectionMeasures(records, await probes);
  },
};

/** What one run comes to; probes that fail are errors too. */
export function connectionMeasures(
  records: readonly RequestRecord[],
  probes: readonly HealthRecord[],
) {
  const { p50, p99 } = middleAndTail(probes.map(({ ms }) => ms));
  return {
    errors: [...records, ...probes].filter(({ error }) => error !== undefined).length,
    healthP50: p50,
    healthP99: p99,
    wall: wallSeconds(records),
    outputRate: outputRate(records),
  };
}

/** Opens all streams in short succession, and waits for them. */
async function openStreams(
  { ask }: Load,
  requests: readonly ChatRequest[],
): Promise<RequestRecord[]> {
  const streams: Promise<RequestRecord>[] = [];
  for (const request of requests) {
    if (streams.length > 0 && streams.length % OPENED_AT_A_TIME === 0) await delay(PAUSE_MS);
    streams.push(ask(request));
  }
  return Promise.all(streams);
}

/** Probes at a fixed rate, whether or not the one before has been answered. */
async function probeHealth({ health }: Load, over: AbortSignal): Promise<HealthRecord[]> {
  const probes = [health()];
  try {
    for await (const _ of setInterval(PROBE_EVERY_MS, undefined, { signal: over })) {
      probes.push(health());
    }
  } catch (error) {
    if (!over.aborted) throw error;
  }
  return Promise.all(probes);
}
