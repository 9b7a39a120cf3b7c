import { setTimeout as delay } from "node:timers/promises";
import type { RequestRecord } from "../client/request-record.js";
import type { ServerMemory } from "../servers/process-memory.js";
import { median } from "../statistics.js";
import { itlP99Measure, ttftP50Measure, ttftP99Measure } from "./common-measures.js";
import { gapsBesideLoads, streamBesideLoads } from "./loads-beside-streams.js";
import { p50AndP99, timesToFirstTokenMs } from "./reductions.js";
import type { Load, Measure, Scenario } from "./scenario.js";
import { totalBytes } from "./watch-memory.js";

const sizes = {
  full: { switches: 100, pauseMs: 4000, promptTokens: 32, maxTokens: 16 },
  quick: { switches: 6, pauseMs: 10, promptTokens: 8, maxTokens: 4 },
} as const;

/** Number of memory readings at the start and at the end, whose medians are compared. */
const READINGS = 5;

const memoryMeasure = (label: string): Measure => ({ label, unit: "MB", better: "lower" });

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
    memoryFirst: memoryMeasure("memory of all processes, first 5 switches"),
    memoryLast: memoryMeasure("memory of all processes, last 5 switches"),
    memoryGrowth: memoryMeasure("its growth"),
    calmItlP99: { ...itlP99Measure, label: "ITL p99 of streams, without loads" },
    loadItlP99: { ...itlP99Measure, label: "ITL p99 of streams, while others load" },
    itlRatio: { label: "the latter to the former", unit: "", better: "lower" },
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
