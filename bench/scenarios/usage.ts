import { inParallel } from "../client/in-parallel.js";
import { cpuMsPerToken } from "../servers/thread-cpu.js";
import { sum } from "../statistics.js";
import { outputRateMeasure } from "./common-measures.js";
import { latencyMeasures, latencyValues } from "./latency.js";
import {
  completionTokens,
  interTokenLatenciesMs,
  outputRate,
  timesToFirstTokenMs,
} from "./reductions.js";
import type { Scenario } from "./scenario.js";

/** Answers are short, so that many end per second: usage is counted and written per answer. */
const sizes = {
  full: { rounds: 8, promptTokens: 32, maxTokens: 32 },
  quick: { rounds: 1, promptTokens: 16, maxTokens: 8 },
} as const;

/** Streams of a server that keeps usage, compared with one that keeps none. */
export const usage: Scenario = {
  name: "usage",
  description: "concurrent streams of short answers, with and without stored usage",
  comparison: {
    kind: "flags",
    label: "without usage",
    flags: ["--usage", "usage"],
    otherFlags: ["--usage", "none"],
  },
  defaults: {
    full: { model: "15m+gpt-2", clients: [32], slots: 32, contextSize: 512 },
    quick: { model: "tiny", clients: [4], slots: 4, contextSize: 512 },
  },
  measures: {
    outputRate: outputRateMeasure,
    ...latencyMeasures("ttft", "TTFT"),
    ...latencyMeasures("itl", "ITL"),
    cpuPerToken: { label: "CPU per token", unit: "ms", better: "lower" },
  },
  targets: [
    { measure: "outputRate", of: "ratio", atLeast: 0.98 },
    { measure: "ttftP50", of: "ratio", atMost: 1.05 },
    { measure: "itlP99", of: "ratio", atMost: 1.05 },
  ],
  async run({ clients, effort, prompts, complete, threadCpu }) {
    const { rounds, promptTokens, maxTokens } = sizes[effort];
    const cpuBefore = threadCpu();
    const records = await inParallel(clients * rounds, clients, (number) => {
      const content = prompts.text(String(number), promptTokens);
      return complete({ messages: [{ role: "user", content }], maxTokens });
    });
    const cpuAfter = threadCpu();
    const perToken =
      cpuBefore && cpuAfter && cpuMsPerToken(cpuBefore, cpuAfter, completionTokens(records));
    return {
      outputRate: outputRate(records),
      ...latencyValues("ttft", timesToFirstTokenMs(records)),
      ...latencyValues("itl", interTokenLatenciesMs(records)),
      ...(perToken && { cpuPerToken: sum(Object.values(perToken)) }),
    };
  },
};
