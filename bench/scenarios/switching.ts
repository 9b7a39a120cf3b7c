import { setTimeout as delay } from "node:timers/promises";
import type { RequestRecord } from "../client/request-record.js";
import type { ServerMemory } from "../servers/process-memory.js";
import { median, percentile } from "../statistics.js";
import { itlP99Measure, ttftP50Measure, ttftP99Measure } from "./common-measures.js";
import { p50AndP99, succeeded, timesToFirstTokenMs, type Window } from "./reductions.js";
import type { Load, Measure, Scenario } from "./scenario.js";
import { totalBytes } from "./watch-memory.js";

const sizes = {
  full: { switches: 100, pauseMs: 4000, promptTokens: 32, maxTokens: 16 },
  quick: { switches: 6, pauseMs: 10, promptTokens: 8, maxTokens: 4 },
} as const;

/** Number of memory readings at the start and at the end, whose medians are compared. */
const READINGS = 5;

const buildMemoryMeasure = (label: string): Measure => ({ label, unit: "MB", better: "lower" });

/** Models that replace each other: the waiting time of a request, and the effect on streams. */
export const switching: Scenario = {
  name: "switch",
  description: "six models, two of which fit: requests for unloaded models",
  comparison: { kind: "peer" },
  models: { all: 6, fitting: 2 },
  defaults: {
    full: { model: "135m+gpt-2", clients: [2], slots: 4, contextSize: 512 },
    quick: { model: "tiny", clients: [2], slots: 2, contextSize: 512 },
  },
  measures: {
    ttftP50: { ...ttftP50Measure, label: "TTFT p50 of a model that is not loaded" },
    ttftP99: { ...ttftP99Measure, label: "TTFT p99 of a model that is not loaded" },
    memoryFirst: buildMemoryMeasure("memory of all processes, first 5 switches"),
    memoryLast: buildMemoryMeasure("memory of all processes, last 5 switches"),
    memoryGrowth: buildMemoryMeasure("growth of the memory of all processes"),
    calmItlP99: { ...itlP99Measure, label: "ITL p99 of streams, without loads" },
    loadItlP99: { ...itlP99Measure, label: "ITL p99 of streams, while others load" },
    itlRatio: { label: "ITL p99 of streams, with loads to without", unit: "", better: "lower" },
  },
  targets: [
    { measure: "ttftP50", of: "ratio", atMost: 1 },
    { measure: "ttftP99", of: "ratio", atMost: 1 },
    { measure: "memoryGrowth", of: "ours", atMost: 10 },
    { measure: "itlRatio", of: "ours", atMost: 1.5 },
  ],
  async run(load) {
    // Reads each model once, so that all files are in the page cache.
    for (const model of load.models) await askFor(load, model, `first ${model}`);
    const { records, readings } = await switchInTurn(load);
    const gaps = gapsBesideLoads(await streamBesideLoads(load));
    return { ...switchMeasures(records, readings), ...gaps };
  },
};

/**
 * Requests one model after another; the requested model is always the least recently used one and
 * hence not loaded.
 */
async function switchInTurn(load: Load) {
  const records: RequestRecord[] = [];
  const readings: ServerMemory[] = [];
  const { switches, pauseMs } = sizes[load.effort];
  for (let number = 0; number < switches; number++) {
    // A client reads the answer before it switches; the server may use that time.
    await delay(pauseMs, undefined, { signal: load.signal });
    const model = load.models[number % load.models.length] ?? "";
    records.push(await askFor(load, model, `switch ${number}`));
    readings.push(load.memory());
  }
  return { records, readings };
}

function askFor({ effort, prompts, complete }: Load, model: string, name: string) {
  const { promptTokens, maxTokens } = sizes[effort];
  const content = prompts.text(name, promptTokens);
  return complete({ model, messages: [{ role: "user", content }], maxTokens });
}

/**
 * Measures of requests each of which waited for another model.
 * @param readings of the memory after each request
 */
export function switchMeasures(
  records: readonly RequestRecord[],
  readings: readonly ServerMemory[],
) {
  const { p50, p99 } = p50AndP99(timesToFirstTokenMs(records));
  const bytes = readings.map(totalBytes);
  const [first, last] = [median(bytes.slice(0, READINGS)), median(bytes.slice(-READINGS))];
  return {
    ttftP50: p50,
    ttftP99: p99,
    memoryFirst: megabytes(first),
    memoryLast: megabytes(last),
    memoryGrowth: megabytes(last - first),
  };
}

/** Converts to megabytes, rounded to a tenth. */
function megabytes(bytes: number): number {
  return Math.round(bytes / 1e5) / 10;
}

const streamSizes = {
  full: { calmMs: 15_000, loads: 20, promptTokens: 32, maxTokens: 256 },
  quick: { calmMs: 50, loads: 3, promptTokens: 8, maxTokens: 64 },
} as const;

/**
 * Tokens of an answer that shows a loaded model; the first one may be an incomplete character,
 * which is sent with the next one.
 */
const LOADED_TOKENS = 4;

/** Streams of one model, and the loads that happened meanwhile. */
export interface StreamsBesideLoads {
  readonly streams: readonly RequestRecord[];
  /** Window without loads. */
  readonly calm: Window;
  /** Windows from a request for an unloaded model to its first token. */
  readonly loads: readonly Window[];
}

/**
 * Streams answers of the first model with one client per stream, while the other models are
 * requested in turn. Needs at least two clients, because a model that is idle for a moment could be
 * evicted itself.
 */
async function streamBesideLoads(load: Load): Promise<StreamsBesideLoads> {
  const { models, clients, effort, signal } = load;
  const { calmMs, loads } = streamSizes[effort];
  const stop = new AbortController();
  const streaming = Array.from({ length: clients }, (_, client) =>
    streamOn(load, client, stop.signal),
  );
  await Promise.all(streaming.map(({ begun }) => begun));
  const fromMs = performance.now();
  await delay(calmMs, undefined, { signal });
  const calm = { fromMs, toMs: performance.now() };
  const asked: RequestRecord[] = [];
  for (let number = 0; number < loads; number++) {
    // Any model except the first one, which streams.
    const model = models[1 + (number % (models.length - 1))] ?? "";
    const content = load.prompts.text(`load ${number}`, streamSizes[effort].promptTokens);
    const messages = [{ role: "user" as const, content }];
    asked.push(await load.complete({ model, messages, maxTokens: LOADED_TOKENS }));
  }
  stop.abort();
  const streams = (await Promise.all(streaming.map(({ ended }) => ended))).flat();
  return { streams, calm, loads: asked.flatMap(loadOf) };
}

function loadOf({ startedAtMs, chunkTimesMs: [first] }: RequestRecord): Window[] {
  return first === undefined ? [] : [{ fromMs: startedAtMs, toMs: first }];
}

/** Client that streams answers of the first model until it is stopped, or until one fails. */
function streamOn(
  { models: [model = ""], effort, prompts, complete }: Load,
  client: number,
  stop: AbortSignal,
) {
  const { promptTokens, maxTokens } = streamSizes[effort];
  let onBegun = () => {};
  const begun = new Promise<void>((resolve) => {
    onBegun = resolve;
  });
  const stream = async () => {
    const records: RequestRecord[] = [];
    do {
      const content = prompts.text(`stream ${client} ${records.length}`, promptTokens);
      const messages = [{ role: "user" as const, content }];
      // Greedy answers repeat themselves, and speculation would send them in bursts.
      const sampling = { temperature: 1, seed: client };
      records.push(await complete({ model, messages, maxTokens, sampling }, onBegun));
    } while (!stop.aborted && records.at(-1)?.error === undefined);
    onBegun();
    return records;
  };
  return { begun, ended: stream() };
}

/**
 * Computes the 99th percentiles of the gaps between chunks of one stream, for gaps that overlap a
 * load and for undisturbed ones.
 */
export function gapsBesideLoads({ streams, calm, loads }: StreamsBesideLoads) {
  const gaps = succeeded(streams).flatMap(({ chunkTimesMs }) =>
    chunkTimesMs.slice(1).map((toMs, index) => ({ fromMs: chunkTimesMs[index] ?? toMs, toMs })),
  );
  const p99 = (windows: readonly Window[]) =>
    percentile(
      gaps.filter((gap) => windows.some((window) => overlap(gap, window))).map(lengthOf),
      99,
    );
  const [calmItlP99, loadItlP99] = [p99([calm]), p99(loads)];
  return { calmItlP99, loadItlP99, itlRatio: loadItlP99 / calmItlP99 };
}

function overlap(one: Window, other: Window): boolean {
  return one.fromMs < other.toMs && other.fromMs < one.toMs;
}

function lengthOf({ fromMs, toMs }: Window): number {
  return toMs - fromMs;
}
