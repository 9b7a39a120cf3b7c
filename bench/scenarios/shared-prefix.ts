import { inParallel } from "../client/in-parallel.js";
import type { RequestRecord } from "../client/request-record.js";
import { evaluatedMeasure, wallMeasure } from "./common-measures.js";
import { latencyMeasures, latencyValues } from "./latency.js";
import { evaluatedTokens, timesToFirstTokenMs, wallSeconds } from "./reductions.js";
import type { Scenario } from "./scenario.js";

const sizes = {
  full: { systemTokens: 700, questionTokens: 24, maxTokens: 32 },
  quick: { systemTokens: 120, questionTokens: 12, maxTokens: 8 },
} as const;

/** Measures whose values {@link promptCacheMeasures} returns. */
export const promptCacheMeasureTypes = {
  wall: wallMeasure,
  ...latencyMeasures("ttft", "TTFT"),
  evaluated: evaluatedMeasure,
};

/** Many concurrent requests with one system prompt that is not in the prefix cache yet. */
export const sharedPrefix: Scenario = {
  name: "shared-prefix",
  description: "concurrent clients with one long, uncached system prompt and different questions",
  comparison: { kind: "peer" },
  defaults: {
    full: { model: "135m+gpt-2", clients: [32], slots: 32, contextSize: 1024 },
    quick: { model: "tiny", clients: [4], slots: 4, contextSize: 512 },
  },
  measures: promptCacheMeasureTypes,
  targets: [
    { measure: "wall", clients: 32, model: "135m+gpt-2", of: "ratio", atMost: 0.3 },
    { measure: "ttftP99", clients: 32, model: "135m+gpt-2", of: "ratio", atMost: 0.15 },
  ],
  async run({ clients, effort, prompts, complete }) {
    const { systemTokens, questionTokens, maxTokens } = sizes[effort];
    const system = prompts.text("system", systemTokens);
    const records = await inParallel(clients, clients, (number) =>
      complete({
        messages: [
          { role: "system", content: system },
          { role: "user", content: prompts.text(`question ${number}`, questionTokens) },
        ],
        maxTokens,
      }),
    );
    return promptCacheMeasures(records);
  },
};

/** Measures of one run, for scenarios that depend on the prefix cache. */
export function promptCacheMeasures(records: readonly RequestRecord[]) {
  return {
    wall: wallSeconds(records),
    ...latencyValues("ttft", timesToFirstTokenMs(records)),
    evaluated: evaluatedTokens(records),
  };
}
