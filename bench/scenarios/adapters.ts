import { inParallel } from "../client/in-parallel.js";
import type { RequestRecord } from "../client/request-record.js";
import { outputRateMeasure } from "./common-measures.js";
import { latencyMeasures, latencyValues } from "./latency.js";
import { interTokenLatenciesMs, outputRate, timesToFirstTokenMs } from "./reductions.js";
import type { Measure, Scenario, Target } from "./scenario.js";

/** Numbers of adapters among which the clients of a round are divided. */
const ROUNDS = [1, 2, 4, 8] as const;

const sizes = {
  full: { promptTokens: 64, maxTokens: 128 },
  quick: { promptTokens: 16, maxTokens: 8 },
} as const;

const measuresOfRound = {
  outputRate: outputRateMeasure,
  ...latencyMeasures("ttft", "TTFT"),
  ...latencyMeasures("itl", "ITL"),
} as const;

const model = "15m";

/** Concurrent clients that each select one of several LoRA adapters. */
export const adapters: Scenario = {
  name: "adapters",
  description: "concurrent clients with 1, 2, 4 and 8 LoRA adapters; fixed-length answers",
  comparison: { kind: "peer" },
  adapters: Math.max(...ROUNDS),
  defaults: {
    full: { model, clients: [16], slots: 16, contextSize: 512 },
    quick: { model: "tiny", clients: [8], slots: 8, contextSize: 512 },
  },
  measures: Object.fromEntries(
    ROUNDS.flatMap((count) =>
      Object.entries(measuresOfRound).map(([name, measure]): [string, Measure] => [
        keyOf(name, count),
        { ...measure, subject: count === 1 ? "1 adapter" : `${count} adapters` },
      ]),
    ),
  ),
  targets: ROUNDS.filter((count) => count > 1).map(
    (count): Target => ({
      ...{ measure: keyOf("outputRate", count), clients: 16, model },
      ...{ of: "ratio", atLeast: 1.3 },
    }),
  ),
  async run({ clients, effort, prompts, complete }) {
    const { promptTokens, maxTokens } = sizes[effort];
    const values: [string, number][] = [];
    for (const count of ROUNDS) {
      const records = await inParallel(clients, clients, (number) =>
        complete({
          messages: [{ role: "user", content: prompts.text(`${count} ${number}`, promptTokens) }],
          maxTokens,
          members: { lora: [{ id: number % count, scale: 1 }] },
        }),
      );
      for (const [name, value] of Object.entries(adapterMeasures(records))) {
        values.push([keyOf(name, count), value]);
      }
    }
    return Object.fromEntries(values);
  },
};

/** Measures of one round. */
export function adapterMeasures(records: readonly RequestRecord[]) {
  return {
    outputRate: outputRate(records),
    ...latencyValues("ttft", timesToFirstTokenMs(records)),
    ...latencyValues("itl", interTokenLatenciesMs(records)),
  };
}

function keyOf(name: string, adapterCount: number): string {
  return `${name}${adapterCount}`;
}
