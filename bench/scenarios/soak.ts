import type { ChatRequest } from "../client/chat-request.js";
import { inParallel } from "../client/in-parallel.js";
import type { RequestRecord } from "../client/request-record.js";
import type { PromptWriter } from "../prompts/prompt-writer.js";
import type { ServerMemory } from "../servers/process-memory.js";
import { wallMeasure } from "./common-measures.js";
import { wallSeconds } from "./reductions.js";
import type { Measure, Scenario } from "./scenario.js";

/** Memory is read before the first round and after each, when nothing runs. */
const ROUNDS = 10;

const sizes = {
  full: { requestsInRound: 500 },
  quick: { requestsInRound: 6 },
} as const;

// The lengths of these lists have no common divisor: of sixty requests in a row no two are alike.
const promptTokens = [8, 40, 120, 240] as const;
const answerTokens = [4, 12, 24, 32, 48] as const;
const endings = ["streamed", "whole", "left"] as const;

/** Very many short requests of all kinds: does the server keep anything of them? */
export const soak: Scenario = {
  name: "soak",
  description: "5,000 short requests, streamed, whole and left early; memory after every 500",
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
  async run({ clients, effort, prompts, ask, memory, note }) {
    const { requestsInRound } = sizes[effort];
    const records: RequestRecord[] = [];
    const read = () => {
      const reading = memory();
      note({
        requests: records.length,
        "server MB": megabytes(reading.server),
        "engine MB": megabytes(reading.engine),
      });
      return reading;
    };
    const readings = [read()];
    for (let round = 0; round < ROUNDS; round++) {
      const before = records.length;
      const answers = await inParallel(requestsInRound, clients, (number) =>
        ask(requestOf(before + number, prompts)),
      );
      records.push(...answers);
      readings.push(read());
    }
    return {
      errors: records.filter(({ error }) => error !== undefined).length,
      ...memoryGrowth(readings),
      wall: wallSeconds(records),
    };
  },
};

/** The request of a number: every prompt length with every answer length, taken in every way. */
export function requestOf(number: number, prompts: PromptWriter): ChatRequest {
  const content = prompts.text(String(number), at(promptTokens, number));
  const maxTokens = at(answerTokens, number);
  const ending = at(endings, number);
  return {
    messages: [{ role: "user", content }],
    maxTokens,
    taken: ending === "left" ? { kind: "left", afterPieces: maxTokens / 4 } : { kind: ending },
  };
}

/**
 * Megabytes that each process came to hold more in each half: what is needed once is in the first,
 * a leak in both.
 * @param readings at even distances, an odd number of them.
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

function at<Value>(values: readonly [Value, ...Value[]], number: number): Value {
  return values[number % values.length] ?? values[0];
}

/** To a tenth. */
function megabytes(bytes: number): number {
  return Math.round(bytes / 1e5) / 10;
}
