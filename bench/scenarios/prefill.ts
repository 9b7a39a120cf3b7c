import { inParallel } from "../client/in-parallel.js";
import type { RequestRecord } from "../client/request-record.js";
import { ttftP50Measure } from "./common-measures.js";
import { evaluatedTokens, firstTokenTimes, middleAndTail, wallSeconds } from "./reductions.js";
import type { Scenario } from "./scenario.js";

const sizes = {
  full: { promptTokens: 1024, requests: 16 },
  quick: { promptTokens: 256, requests: 4 },
} as const;

/** Long prompts, each of its own, and hardly an answer. */
export const prefill: Scenario = {
  name: "prefill",
  description: "long prompts, each of its own, one token each for an answer",
  comparison: { kind: "peer" },
  defaults: {
    full: { model: "135m+gpt-2", clients: [1, 8], slots: 8, contextSize: 2048 },
    quick: { model: "tiny", clients: [1, 2], slots: 2, contextSize: 512 },
  },
  measures: {
    promptRate: { label: "prompt", unit: "tok/s", better: "higher" },
    ttftP50: ttftP50Measure,
  },
  targets: [],
  async run({ clients, effort, prompts, ask }) {
    const { promptTokens, requests } = sizes[effort];
    const records = await inParallel(requests, clients, (number) => {
      const content = prompts.text(String(number), promptTokens);
      return ask({ messages: [{ role: "user", content }], maxTokens: 1 });
    });
    return prefillMeasures(records);
  },
};

/**
 * What the answers of one run come to. An answer of one token may have no text, when that token is
 * a part of a character: the end of the answer is then its first sign.
 */
export function prefillMeasures(records: readonly RequestRecord[]) {
  const signs = records.map((record) => ({
    ...record,
    pieceTimes: [record.pieceTimes[0] ?? record.endedAt],
  }));
  return {
    promptRate: evaluatedTokens(records) / wallSeconds(records),
    ttftP50: middleAndTail(firstTokenTimes(signs)).p50,
  };
}
