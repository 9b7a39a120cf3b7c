import { inParallel } from "../client/in-parallel.js";
import type { RequestRecord } from "../client/request-record.js";
import { latencyMeasures, latencyValues } from "./latency.js";
import { evaluatedTokens, timesToFirstTokenMs, wallSeconds } from "./reductions.js";
import type { Scenario } from "./scenario.js";

const sizes = {
  full: { promptTokens: 1024, requests: 16 },
  quick: { promptTokens: 256, requests: 4 },
} as const;

/** Long, unique prompts with one-token answers. */
export const prefill: Scenario = {
  name: "prefill",
  description: "long, unique prompts with one-token answers",
  comparison: { kind: "peer" },
  defaults: {
    full: { model: "135m+gpt-2", clients: [1, 8], slots: 8, contextSize: 2048 },
    quick: { model: "tiny", clients: [1, 2], slots: 2, contextSize: 512 },
  },
  measures: {
    promptRate: { label: "prompt", unit: "tok/s", better: "higher" },
    ...latencyMeasures("ttft", "TTFT"),
  },
  targets: [],
  async run({ clients, effort, prompts, complete }) {
    const { promptTokens, requests } = sizes[effort];
    const records = await inParallel(requests, clients, (number) => {
      const content = prompts.text(String(number), promptTokens);
      return complete({ messages: [{ role: "user", content }], maxTokens: 1 });
    });
    return prefillMeasures(records);
  },
};

/**
 * Measures of one run. A one-token answer has no text if the token is an incomplete UTF-8
 * character; the end of the answer then counts as its first token.
 */
export function prefillMeasures(records: readonly RequestRecord[]) {
  const withFirstToken = records.map((record) => ({
    ...record,
    chunkTimesMs: [record.chunkTimesMs[0] ?? record.endedAtMs],
  }));
  return {
    promptRate: evaluatedTokens(records) / wallSeconds(records),
    ...latencyValues("ttft", timesToFirstTokenMs(withFirstToken)),
  };
}
