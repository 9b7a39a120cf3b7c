import { inParallel } from "../client/in-parallel.js";
import { inOpenLoop } from "../client/open-loop.js";
import type { RequestRecord } from "../client/request-record.js";
import { poissonArrivals } from "../goodput/arrivals.js";
import { percentile } from "../statistics.js";
import { smallCacheFlags } from "./common-measures.js";
import { succeeded, windowOf } from "./reductions.js";
import type { Load, Scenario } from "./scenario.js";
import { driftBytes, peakGrowthBytes, watchMemory } from "./watch-memory.js";

const sizes = {
  full: {
    ...{ seconds: 60, maxRequests: 40_000, promptTokens: 32, maxTokens: 32 },
    ...{ warmUpRounds: 40, memoryMs: 500 },
  },
  quick: {
    ...{ seconds: 3, maxRequests: 200, promptTokens: 8, maxTokens: 8 },
    ...{ warmUpRounds: 1, memoryMs: 50 },
  },
} as const;

/** Arrival rate as a multiple of the capacity. */
const OVERLOAD = 4;
/** Maximum queue length: two rounds of slots. Longer queues do not serve requests sooner. */
const MAX_QUEUE = 64;
/** Requests per client that measure the capacity; the first and the last do not count. */
const CAPACITY_ROUNDS = 8;
const CAPACITY = "capacity req/s";

/**
 * Many more requests than can be served: latency of the served ones, and refusals of the others.
 */
export const overload: Scenario = {
  name: "overload",
  description: "random arrivals for a minute, at four times the server's capacity",
  comparison: { kind: "peer", flags: ["--max-queue", String(MAX_QUEUE), ...smallCacheFlags] },
  // As many clients as slots: measuring the capacity fills them several times.
  defaults: {
    full: { model: "15m+gpt-2", clients: [32], slots: 32, contextSize: 512 },
    quick: { model: "tiny", clients: [4], slots: 4, contextSize: 512 },
  },
  measures: {
    goodputToCapacity: { label: "goodput to capacity", unit: "", better: "higher" },
    goodput: { label: "goodput", unit: "req/s", better: "higher" },
    latencyP50: { label: "accepted, p50", unit: "s", better: "lower" },
    latencyP99: { label: "accepted, p99", unit: "s", better: "lower" },
    p99ToQueue: { label: "accepted, p99 to serving a full queue", unit: "", better: "lower" },
    refused: { label: "refused", unit: "", better: "lower" },
    refusalP99: { label: "refusals, p99", unit: "ms", better: "lower" },
    withoutHint: { label: "refused without Retry-After", unit: "", better: "lower" },
    failed: { label: "failed otherwise", unit: "", better: "lower" },
    drift: { label: "memory drift", unit: "MB", better: "lower" },
    peak: { label: "memory peak over the warm server", unit: "MB", better: "lower" },
  },
  targets: [
    { measure: "goodputToCapacity", of: "ours", atLeast: 0.95 },
    { measure: "p99ToQueue", of: "ours", atMost: 1.5 },
    { measure: "withoutHint", of: "ours", atMost: 0 },
    { measure: "failed", of: "ours", atMost: 0 },
    { measure: "peak", of: "ours", atMost: 10 },
  ],
  async calibrate(load) {
    const records = await inClosedLoop(load, "capacity", CAPACITY_ROUNDS);
    return { [CAPACITY]: capacityOf(records, load.clients) };
  },
  async run(load) {
    const { calibrations, effort, clients, prompts, memory, complete, signal } = load;
    const { seconds, maxRequests, memoryMs, warmUpRounds } = sizes[effort];
    // The larger capacity, so that both sides get the same load.
    const capacities = calibrations.map((calibration) => calibration[CAPACITY] ?? Number.NaN);
    const rate = OVERLOAD * Math.max(...capacities);
    const count = Math.min(maxRequests, Math.ceil(rate * seconds));
    const arrivals = poissonArrivals(count, prompts.random("arrivals"));
    const calls = arrivals.map((atSeconds, number) => {
      const request = requestOf(load, `${number}`);
      return { atMs: (1000 * atSeconds) / rate, call: () => complete(request) };
    });
    // Caches are allocated at the start and touched later, mostly within the first thousand
    // requests.
    await inClosedLoop(load, "warm-up", warmUpRounds);
    const stop = new AbortController();
    // The memory of an external server cannot be read.
    const watched =
      load.server === "external" ? undefined : watchMemory(memory, memoryMs, stop.signal);
    const records = await inOpenLoop(calls, signal).finally(() => stop.abort());
    const readings = (await watched) ?? [];
    const capacity = capacities[load.server === "ggufd" ? 0 : 1] ?? Number.NaN;
    return {
      ...overloadMeasures(records, { capacity, slots: clients }),
      drift: driftBytes(readings) / 1e6,
      peak: peakGrowthBytes(readings) / 1e6,
    };
  },
};

/**
 * Runs a closed loop: every client sends its next request after the answer, so that none is queued.
 */
function inClosedLoop(load: Load, name: string, rounds: number): Promise<RequestRecord[]> {
  const { clients, complete } = load;
  return inParallel(rounds * clients, clients, (number) =>
    complete(requestOf(load, `${name} ${number}`)),
  );
}

function requestOf({ effort, prompts }: Load, name: string) {
  const { promptTokens, maxTokens } = sizes[effort];
  const content = prompts.text(name, promptTokens);
  return { messages: [{ role: "user" as const, content }], maxTokens };
}

/**
 * Requests per second while all slots are occupied: from the end of the first round of answers to
 * the beginning of the last one, because answers of equal length arrive in rounds.
 */
export function capacityOf(records: readonly RequestRecord[], slots: number): number {
  const endsMs = succeeded(records)
    .map(({ endedAtMs }) => endedAtMs)
    .toSorted((a, b) => a - b);
  const [fromMs = Number.NaN, toMs = Number.NaN] = [endsMs[slots - 1], endsMs.at(-slots - 1)];
  return (1000 * (endsMs.length - 2 * slots)) / (toMs - fromMs);
}

/** Limits of an overloaded server. */
export interface Limits {
  /** Requests per second. */
  readonly capacity: number;
  readonly slots: number;
}

/** Measures of one run. */
export function overloadMeasures(records: readonly RequestRecord[], { capacity, slots }: Limits) {
  const accepted = succeeded(records);
  const refused = records.filter(
    ({ refusal }) => refusal?.status === 503 || refusal?.status === 429,
  );
  const { fromMs, toMs } = windowOf(records);
  const goodput = (1000 * accepted.length) / (toMs - fromMs);
  const latenciesMs = accepted.map(durationMs);
  const latencyP99 = percentile(latenciesMs, 99) / 1000;
  return {
    goodputToCapacity: goodput / capacity,
    goodput,
    latencyP50: percentile(latenciesMs, 50) / 1000,
    latencyP99,
    // The last accepted request waits for the whole queue, is then served, and shares the batch.
    p99ToQueue: latencyP99 / ((MAX_QUEUE + slots) / capacity),
    refused: refused.length,
    refusalP99: percentile(refused.map(durationMs), 99),
    withoutHint: refused.filter(({ refusal }) => refusal?.retryAfterSeconds === undefined).length,
    failed: records.length - accepted.length - refused.length,
  };
}

function durationMs({ startedAtMs, endedAtMs }: RequestRecord): number {
  return endedAtMs - startedAtMs;
}
