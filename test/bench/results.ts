import type { ResultFile, RunResult, ScenarioResult } from "../../bench/summary/result-file.js";

/** A run of `decode` at 8 clients. */
export function run(side: string, number: number, overrides: Partial<RunResult> = {}): RunResult {
  return {
    clients: 8,
    run: number,
    side,
    requests: 8,
    errors: {},
    clientCpuShare: 0.02,
    values: {},
    samples: [],
    ...overrides,
  };
}

/** Two runs at 8 clients on each of two servers, with one measure. */
export const result: ScenarioResult = {
  scenario: "decode",
  description: "clients ask at once",
  settings: {
    model: "15m+qwen2",
    slots: 8,
    contextSize: 512,
    threads: 2,
    clients: [8],
    runs: 2,
    seed: "s",
    effort: "full",
  },
  tokensPerWord: 1.5,
  sides: [
    { label: "ggufd", version: "0.1.0", command: ["node", "main.js", "serve", "--port", "5"] },
    { label: "peer <1>", version: "b1", command: [] },
  ],
  measures: { rate: { label: "output", unit: "tok/s", better: "higher" } },
  targets: [{ measure: "rate", clients: 8, model: "15m+qwen2", of: "ratio", atLeast: 1.02 }],
  runs: [
    run("ggufd", 1, { values: { rate: 110 }, errors: { "HTTP 503": 2 }, clientCpuShare: 0.05 }),
    run("peer <1>", 1, { values: { rate: 100 } }),
    run("ggufd", 2, { values: { rate: 90 }, errors: { "HTTP 503": 1 } }),
    run("peer <1>", 2, { values: { rate: 60 } }),
  ],
};

export const file: ResultFile = {
  format: 1,
  date: "2026-01-31T10:00:00.000Z",
  machine: { cpu: "CPU", cores: 2, memoryGiB: 8, platform: "linux x64", node: "v20.20.0" },
  results: [result],
};
