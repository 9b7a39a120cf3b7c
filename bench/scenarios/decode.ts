import { inParallel } from "../client/in-parallel.js";
import type { RequestRecord } from "../client/request-record.js";
import { cpuMsPerToken } from "../servers/thread-cpu.js";
import { percentile, sum } from "../statistics.js";
import { outputRateMeasure } from "./common-measures.js";
import { latencyMeasures, latencyValues } from "./latency.js";
import {
  completionTokens,
  interTokenLatenciesMs,
  outputRate,
  timesToFirstTokenMs,
  timesToTokenMs,
} from "./reductions.js";
import type { Scenario } from "./scenario.js";

/** Minimum number of requests; one request for each of a few clients would make a run too short. */
const MIN_REQUESTS = 4;

const sizes = {
  full: { promptTokens: 128, maxTokens: 128 },
  quick: { promptTokens: 32, maxTokens: 16 },
} as const;

/** Concurrent clients that stream long answers. */
export const decode: Scenario = {
  name: "decode",
  description: "concurrent clients, each with its own prompt; fixed-length answers",
  comparison: { kind: "peer" },
  defaults: {
    full: { model: "135m+gpt-2", clients: [1, 8, 32, 64], slots: 32, contextSize: 512 },
    quick: { model: "tiny", clients: [1, 4], slots: 4, contextSize: 512 },
  },
  measures: {
    outputRate: outputRateMeasure,
    ...latencyMeasures("ttft", "TTFT"),
    ...latencyMeasures("second", "time to token 2"),
    ...latencyMeasures("tenth", "time to token 10"),
    ...latencyMeasures("all", "time to the whole answer"),
    ...latencyMeasures("itl", "ITL"),
    longestGap: { label: "longest gap", unit: "ms", better: "lower" },
    cpuPerToken: { label: "CPU per token", unit: "ms", better: "lower" },
  },
  targets: [
    { measure: "outputRate", clients: 1, model: "135m+gpt-2", of: "ratio", atLeast: 1 },
    { measure: "outputRate", clients: 8, model: "135m+gpt-2", of: "ratio", atLeast: 1.02 },
    { measure: "outputRate", clients: 32, model: "135m+gpt-2", of: "ratio", atLeast: 1.02 },
    { measure: "ttftP50", clients: 32, model: "135m+gpt-2", of: "ratio", atMost: 0.5 },
    { measure: "tenthMean", clients: 32, model: "135m+gpt-2", of: "ratio", atMost: 1 },
    { measure: "longestGap", clients: 32, model: "135m+gpt-2", of: "ratio", atMost: 1 },
    { measure: "outputRate", clients: 32, model: "15m+qwen2", of: "ratio", atLeast: 1.2 },
  ],
  async run({ clients, effort, prompts, complete, threadCpu, recordSample }) {
    const { promptTokens, maxTokens } = sizes[effort];
    const requestCount = Math.max(clients, MIN_REQUESTS);
    const cpuBefore = threadCpu();
    const records = await inParallel(requestCount, clients, (number) => {
      const content = prompts.text(String(number), promptTokens);
      return complete({ messages: [{ role: "user", content }], maxTokens });
    });
    const cpuAfter = threadCpu();
    if (cpuBefore === undefined || cpuAfter === undefined) return decodeMeasures(records);
    const perToken = cpuMsPerToken(cpuBefore, cpuAfter, completionTokens(records));
    for (const [thread, ms] of Object.entries(perToken)) {
      recordSample({ thread, "CPU ms per token": ms });
    }
    return { ...decodeMeasures(records), cpuPerToken: sum(Object.values(perToken)) };
  },
};

/**
 * Measures of one run. All clients begin at once, and the order in which a server evaluates their
 * prompts shifts latency between the first tokens and later ones; so the times to later tokens
 * count too.
 */
export function decodeMeasures(records: readonly RequestRecord[]) {
  const gaps = interTokenLatenciesMs(records);
  return {
    outputRate: outputRate(records),
    ...latencyValues("ttft", timesToFirstTokenMs(records)),
    ...latencyValues("second", timesToTokenMs(records, 2)),
    ...latencyValues("tenth", timesToTokenMs(records, 10)),
    ...latencyValues("all", timesToTokenMs(records, "all")),
    ...latencyValues("itl", gaps),
    longestGap: percentile(gaps, 100),
  };
}
