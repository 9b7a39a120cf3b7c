import { inParallel } from "../client/in-parallel.js";
import type { RequestRecord } from "../client/request-record.js";
import {
  itlP50Measure,
  itlP99Measure,
  outputRateMeasure,
  ttftP50Measure,
} from "./common-measures.js";
import { firstTokenTimes, middleAndTail, outputRate, tokenGaps } from "./reductions.js";
import type { Scenario } from "./scenario.js";

/** A few clients alone would be over too soon. */
const FEWEST_REQUESTS = 4;

const sizes = {
  full: { promptTokens: 128, maxTokens: 128 },
  quick: { promptTokens: 32, maxTokens: 16 },
} as const;

/** Clients that all ask at once and let long answers come. */
export const decode: Scenario = {
  name: "decode",
  description: "clients ask at once, each with a prompt of its own; answers of fixed length",
  comparison: { kind: "peer" },
  defaults: {
    full: { model: "135m+gpt-2", clients: [1, 8, 32, 64], slots: 32, contextSize: 512 },
    quick: { model: "tiny", clients: [1, 4], slots: 4, contextSize: 512 },
  },
  measures: {
    outputRate: outputRateMeasure,
    ttftP50: ttftP50Measure,
    itlP50: itlP50Measure,
    itlP99: itlP99Measure,
  },
  targets: [
    { measure: "outputRate", clients: 1, model: "135m+gpt-2", of: "ratio", atLeast: 1 },
    { measure: "outputRate", clients: 8, model: "135m+gpt-2", of: "ratio", atLeast: 1.02 },
    { measure: "outputRate", clients: 32, model: "135m+gpt-2", of: "ratio", atLeast: 1.02 },
    { measure: "ttftP50", clients: 32, model: "135m+gpt-2", of: "ratio", atMost: 0.5 },
    { measure: "itlP99", clients: 32, model: "135m+gpt-2", of: "ratio", atMost: 0.5 },
    { measure: "outputRate", clients: 32, model: "15m+qwen2", of: "ratio", atLeast: 1.2 },
  ],
  async run({ clients, effort, prompts, ask }) {
    const { promptTokens, maxTokens } = sizes[effort];
    const requests = Math.max(clients, FEWEST_REQUESTS);
    const records = await inParallel(requests, clients, (number) => {
      const content = prompts.text(String(number), promptTokens);
      return ask({ messages: [{ role: "user", content }], maxTokens });
    });
    return decodeMeasures(records);
  },
};

/** What the answers of one run come to. */
export function decodeMeasures(records: readonly RequestRecord[]) {
  const gaps = middleAndTail(tokenGaps(records));
  return {
    outputRate: outputRate(records),
    ttftP50: middleAndTail(firstTokenTimes(records)).p50,
    itlP50: gaps.p50,
    itlP99: gaps.p99,
  };
}
