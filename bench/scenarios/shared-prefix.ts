import { inParallel } from "../client/in-parallel.js";
import type { RequestRecord } from "../client/request-record.js";
import {
  evaluatedMeasure,
  ttftP50Measure,
  ttftP99Measure,
  wallMeasure,
} from "./common-measures.js";
import { evaluatedTokens, firstTokenTimes, middleAndTail, wallSeconds } from "./reductions.js";
import type { Scenario } from "./scenario.js";

const sizes = {
  full: { systemTokens: 700, questionTokens: 24, maxTokens: 32 },
  quick: { systemTokens: 120, questionTokens: 12, maxTokens: 8 },
} as const;

/** What {@link promptCacheMeasures} gives. */
export const promptCacheLabels = {
  wall: wallMeasure,
  ttftP50: ttftP50Measure,
  ttftP99: ttftP99Measure,
  evaluated: evaluatedMeasure,
};

/** One system prompt that nobody has seen before, and many who arrive with it together. */
export const sharedPrefix: Scenario = {
  name: "shared-prefix",
  description: "clients ask at once, with one long system prompt, cold, and questions of their own",
  comparison: { kind: "peer" },
  defaults: {
    full: { model: "135m+gpt-2", clients: [32], slots: 32, contextSize: 1024 },
    quick: { model: "tiny", clients: [4], slots: 4, contextSize: 512 },
  },
  measures: promptCacheLabels,
  targets: [
    { measure: "wall", clients: 32, model: "135m+gpt-2", of: "ratio", atMost: 0.3 },
    { measure: "ttftP99", clients: 32, model: "135m+gpt-2", of: "ratio", atMost: 0.15 },
  ],
  async run({ clients, effort, prompts, ask }) {
    const { systemTokens, questionTokens, maxTokens } = sizes[effort];
    const system = prompts.text("system", systemTokens);
    const records = await inParallel(clients, clients, (number) =>
      ask({
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

/** What the answers of one run come to, where it matters how many prompt tokens were cached. */
export function promptCacheMeasures(records: readonly RequestRecord[]) {
  const { p50, p99 } = middleAndTail(firstTokenTimes(records));
  return {
    wall: wallSeconds(records),
    ttftP50: p50,
    ttftP99: p99,
    evaluated: evaluatedTokens(records),
  };
}
