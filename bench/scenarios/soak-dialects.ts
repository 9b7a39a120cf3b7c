import { setTimeout as delay } from "node:timers/promises";
import { percentile } from "../statistics.js";
import { BLOCKS, trendOf } from "../trend.js";
import { smallCacheFlags } from "./common-measures.js";
import type { Load, Measure, Scenario } from "./scenario.js";
import { MIXED_KINDS, type MixedRequest, sendMixed } from "./soak-requests.js";

const sizes = {
  full: { seconds: 1800, sampleMs: 5000 },
  quick: { seconds: 1.2, sampleMs: 50 },
} as const;

/** Share of the time for the warm-up, in which caches and allocators fill and code is compiled. */
const WARM_UP_SHARE = 1 / 3;

/** Number of readings that a trend needs, including those of the warm-up, which do not count. */
const MIN_READINGS = Math.ceil(BLOCKS / (1 - WARM_UP_SHARE));
/** Longer than a server keeps an idle connection open (75 s). */
const SETTLE_MS = 80_000;

/**
 * Node.js flag for early garbage collection, as soon as a fifth is garbage. By default V8 waits
 * until the heap is a multiple of the live objects, about every ten minutes at this load, and the
 * memory rises meanwhile as if it leaked.
 */
const earlyCollection = ["--heap-growing-percent=20"];

const MINUTES = "minutes";
const SERVER = "server MB";
const ENGINE = "engine MB";

const slopeMeasure = (process: string): Measure => ({
  label: `${process}'s memory, slope`,
  unit: "MB/h",
  better: "lower",
});
const beyondMeasure = (process: string): Measure => ({
  label: `${process}'s memory, slope minus its error`,
  unit: "MB/h",
  better: "lower",
});

/**
 * Requests of all dialects for half an hour: once warm, memory, descriptors and latency must not
 * rise.
 */
export const soakDialects: Scenario = {
  name: "soak-dialects",
  description:
    "mixed requests of all dialects for 30 minutes; memory, descriptors and latency over time",
  comparison: { kind: "alone", flags: smallCacheFlags, nodeFlags: earlyCollection },
  defaults: {
    full: { model: "shipped", clients: [8], slots: 4, contextSize: 512 },
    quick: { model: "shipped", clients: [4], slots: 2, contextSize: 512 },
  },
  measures: {
    errors: { label: "errors", unit: "", better: "lower" },
    requests: { label: "requests", unit: "", better: "higher" },
    serverSlope: slopeMeasure("server"),
    serverError: { label: "server's memory, error of the slope", unit: "MB/h", better: "lower" },
    serverBeyond: beyondMeasure("server"),
    engineSlope: slopeMeasure("engine"),
    engineError: { label: "engine's memory, error of the slope", unit: "MB/h", better: "lower" },
    engineBeyond: beyondMeasure("engine"),
    latencyP50: { label: "latency p50, last to second quarter", unit: "", better: "lower" },
    latencyP99: { label: "latency p99, last to second quarter", unit: "", better: "lower" },
    descriptors: { label: "descriptors left", unit: "", better: "lower" },
  },
  targets: [
    { measure: "errors", of: "ours", atMost: 0 },
    { measure: "serverBeyond", of: "ours", atMost: 0 },
    { measure: "engineBeyond", of: "ours", atMost: 0 },
    { measure: "descriptors", of: "ours", atMost: 0 },
    { measure: "latencyP50", of: "ours", atMost: 1.1 },
    { measure: "latencyP99", of: "ours", atMost: 1.25 },
  ],
  curve: { label: "resident memory, MB", over: MINUTES, lines: [SERVER, ENGINE] },
  async run(load) {
    const { clients, effort, memory, processes, recordSample, signal } = load;
    const { seconds, sampleMs } = sizes[effort];
    // Opens the files and connections that stay open for good, before descriptors are counted.
    for (let number = 0; number < MIXED_KINDS; number++) await sendMixed(load, number);
    await settle(load);
    const descriptors = processes().descriptors;
    const startedAtMs = performance.now();
    const lastsUntilMs = startedAtMs + 1000 * seconds;
    let isOver = false;
    const requests: MixedRequest[] = [];
    let next = MIXED_KINDS;
    const client = async () => {
      while (!isOver && !signal.aborted) {
        requests.push(await sendMixed(load, next++));
      }
    };
    const all = Promise.all(Array.from({ length: clients }, client));
    const readings: SoakReading[] = [];
    let seen = 0;
    // A busy machine takes readings less often than scheduled.
    while (performance.now() < lastsUntilMs || readings.length < MIN_READINGS) {
      await delay(sampleMs, undefined, { signal });
      const { server, engine } = memory();
      const atMinutes = (performance.now() - startedAtMs) / 60_000;
      readings.push({ atMinutes, serverMb: server / 1e6, engineMb: engine / 1e6 });
      recordSample({
        [MINUTES]: Math.round(atMinutes * 1000) / 1000,
        [SERVER]: server / 1e6,
        [ENGINE]: engine / 1e6,
        descriptors: processes().descriptors,
        "latency p50 ms": percentile(requests.slice(seen).map(latencyMs), 50),
        "latency p99 ms": percentile(requests.slice(seen).map(latencyMs), 99),
      });
      seen = requests.length;
    }
    const endsAtMs = performance.now();
    isOver = true;
    await all;
    for (const { startedAtMs: atMs, error } of requests) {
      if (error !== undefined) recordSample({ [MINUTES]: (atMs - startedAtMs) / 60_000, error });
    }
    await settle(load);
    return {
      ...soakMeasures(requests, readings, { startedAtMs, endsAtMs }),
      descriptors: Math.max(0, processes().descriptors - descriptors),
    };
  },
};

/** Memory at one time of the run. */
export interface SoakReading {
  readonly atMinutes: number;
  readonly serverMb: number;
  readonly engineMb: number;
}

/** Measures of one run. */
export function soakMeasures(
  requests: readonly MixedRequest[],
  readings: readonly SoakReading[],
  { startedAtMs, endsAtMs }: { readonly startedAtMs: number; readonly endsAtMs: number },
) {
  const warm = readings.slice(Math.floor(WARM_UP_SHARE * readings.length));
  const trend = (process: "serverMb" | "engineMb") =>
    trendOf(warm.map((reading) => ({ at: reading.atMinutes / 60, value: reading[process] })));
  const [server, engine] = [trend("serverMb"), trend("engineMb")];
  const quarter = (endsAtMs - startedAtMs) / 4;
  const latencies = (number: number) =>
    requests
      .filter(({ endedAtMs }) => Math.floor((endedAtMs - startedAtMs) / quarter) === number)
      .map(latencyMs);
  const drift = (percent: number) =>
    percentile(latencies(3), percent) / percentile(latencies(1), percent);
  return {
    errors: requests.filter(({ error }) => error !== undefined).length,
    requests: requests.length,
    serverSlope: server.slope,
    serverError: server.error,
    serverBeyond: Math.max(0, server.slope - server.error),
    engineSlope: engine.slope,
    engineError: engine.error,
    engineBeyond: Math.max(0, engine.slope - engine.error),
    latencyP50: drift(50),
    latencyP99: drift(99),
  };
}

function latencyMs({ startedAtMs, endedAtMs }: MixedRequest): number {
  return endedAtMs - startedAtMs;
}

/** Waits until idle connections are closed. */
async function settle({ effort, signal }: Load): Promise<void> {
  if (effort === "full") await delay(SETTLE_MS, undefined, { signal });
}
