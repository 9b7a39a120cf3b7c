import type { ChatRequest } from "../client/chat-request.js";
import type { PromptWriter } from "../prompts/prompt-writer.js";
import type { ServerMemory } from "../servers/process-memory.js";
import { wallMeasure } from "./common-measures.js";
import { wallSeconds } from "./reductions.js";
import type { Measure, Scenario } from "./scenario.js";
import { megabytes, soakInRounds } from "./soak-rounds.js";

const ROUNDS = 10;

const sizes = {
  full: { requestsPerRound: 500 },
  quick: { requestsPerRound: 6 },
} as const;

// The lengths of these lists are pairwise coprime: sixty consecutive requests are all different.
const promptTokenCounts = [8, 40, 120, 240] as const;
const maxTokenCounts = [4, 12, 24, 32, 48] as const;
const responseModes = ["streamed", "non-streamed", "cancelled"] as const;

/** Thousands of short requests of all kinds, to detect memory leaks. */
export const soak: Scenario = {
  name: "soak",
  description:
    "5,000 short requests, streamed, non-streamed and cancelled early; memory after every 500",
  comparison: { kind: "alone" },
  defaults: {
    full: { model: "shipped", clients: [8], slots: 4, contextSize: 512 },
    quick: { model: "shipped", clients: [4], slots: 2, contextSize: 512 },
  },
  measures: {
    errors: { label: "errors", unit: "", better: "lower" },
    serverFirstHalf: growthMeasure("server", "first"),
    serverSecondHalf: growthMeasure("server", "second"),
    engineFirstHalf: growthMeasure("engine", "first"),
    engineSecondHalf: growthMeasure("engine", "second"),
    wall: wallMeasure,
  },
  targets: [{ measure: "errors", of: "ours", atMost: 0 }],
  async run(load) {
    const { records, readings } = await soakInRounds(load, {
      rounds: ROUNDS,
      ...sizes[load.effort],
      requestOf: (number) => requestOf(number, load.prompts),
      labels: { requests: "requests", engine: "engine MB" },
    });
    return {
      errors: records.filter(({ error }) => error !== undefined).length,
      ...memoryGrowth(readings),
      wall: wallSeconds(records),
    };
  },
};

/** The `number`-th request, cycling through all combinations of lengths and response modes. */
export function requestOf(number: number, prompts: PromptWriter): ChatRequest {
  const content = prompts.text(String(number), cyclicAt(promptTokenCounts, number));
  const maxTokens = cyclicAt(maxTokenCounts, number);
  const kind = cyclicAt(responseModes, number);
  return {
    messages: [{ role: "user", content }],
    maxTokens,
    mode: kind === "cancelled" ? { kind, afterChunks: maxTokens / 4 } : { kind },
  };
}

/**
 * The memory growth of each process in each half of the run, in megabytes. One-time allocations
 * appear in the first half only, a leak in both.
 * @param readings an odd number of them, evenly spaced.
 */
export function memoryGrowth(readings: readonly ServerMemory[]) {
  const [begin, middle, end] = [0, 0.5, 1].map((share) => readings[(readings.length - 1) * share]);
  return {
    serverFirstHalf: growth("server", begin, middle),
    serverSecondHalf: growth("server", middle, end),
    engineFirstHalf: growth("engine", begin, middle),
    engineSecondHalf: growth("engine", middle, end),
  };
}

function growth(process: keyof ServerMemory, from?: ServerMemory, to?: ServerMemory): number {
  return megabytes((to?.[process] ?? Number.NaN) - (from?.[process] ?? Number.NaN));
}

function growthMeasure(process: keyof ServerMemory, half: "first" | "second"): Measure {
  return { label: `${process}'s growth, ${half} half`, unit: "MB", better: "lower" };
}

function cyclicAt<Value>(values: readonly [Value, ...Value[]], number: number): Value {
  return values[number % values.length] ?? values[0];
}
