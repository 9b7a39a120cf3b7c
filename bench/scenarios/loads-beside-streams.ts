import { setTimeout as delay } from "node:timers/promises";
import type { RequestRecord } from "../client/request-record.js";
import { percentile } from "../statistics.js";
import { succeeded, type Window } from "./reductions.js";
import type { Load } from "./scenario.js";

const sizes = {
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
export async function streamBesideLoads(load: Load): Promise<StreamsBesideLoads> {
  const { models, clients, effort, signal } = load;
  const { calmMs, loads } = sizes[effort];
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
    const content = load.prompts.text(`load ${number}`, sizes[effort].promptTokens);
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
  const { promptTokens, maxTokens } = sizes[effort];
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
