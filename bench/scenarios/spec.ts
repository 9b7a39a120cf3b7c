import { inParallel } from "../client/in-parallel.js";
import type { RequestRecord } from "../client/request-record.js";
import { acceptanceRate, perStreamRate } from "./reductions.js";
import type { Scenario } from "./scenario.js";

/** Few enough that even a very small model repeats them without errors. */
const COPIED_WORDS = 5;

const sizes = {
  full: { copies: 48, copyMaxTokens: 64, stories: 12, storyMaxTokens: 128 },
  quick: { copies: 4, copyMaxTokens: 64, stories: 2, storyMaxTokens: 24 },
} as const;

/** Copied and free text: speculative decoding should speed up the first and not slow the second. */
export const spec: Scenario = {
  name: "spec",
  description: "copying tasks and free text, speculation on against off",
  comparison: {
    kind: "flags",
    first: { label: "speculation auto", flags: ["--speculation", "auto"] },
    second: { label: "speculation off", flags: ["--speculation", "off"] },
  },
  defaults: {
    full: { model: "shipped", clients: [1], slots: 4, contextSize: 1024 },
    quick: { model: "shipped", clients: [1], slots: 4, contextSize: 512 },
  },
  measures: {
    copyRate: { label: "copying, each stream", unit: "tok/s", better: "higher" },
    copyAccepted: { label: "copying, share of drafts accepted", unit: "", better: "higher" },
    freeRate: { label: "free text, each stream", unit: "tok/s", better: "higher" },
    freeAccepted: { label: "free text, share of drafts accepted", unit: "", better: "higher" },
  },
  targets: [
    { measure: "copyRate", model: "shipped", of: "ratio", atLeast: 1.8 },
    { measure: "freeRate", model: "shipped", of: "ratio", atLeast: 0.98 },
  ],
  async run({ clients, effort, prompts, complete }) {
    const { copies, copyMaxTokens, stories, storyMaxTokens } = sizes[effort];
    const copyRecords = await inParallel(copies, clients, (number) => {
      const content = `Repeat after me: ${prompts.words(`copy ${number}`, COPIED_WORDS)}`;
      const messages = [{ role: "user" as const, content }];
      return complete({ messages, maxTokens: copyMaxTokens, endedBy: "model" });
    });
    const storyRecords = await inParallel(stories, clients, (number) => {
      const content = `Tell me a story about ${prompts.words(`free ${number}`, 3)}.`;
      const messages = [{ role: "user" as const, content }];
      // Greedy decoding degenerates into repetition, which is not free text.
      const sampling = { temperature: 1, seed: number };
      return complete({ messages, maxTokens: storyMaxTokens, sampling });
    });
    return specMeasures(copyRecords, storyRecords);
  },
};

/** The measures of one run. */
export function specMeasures(copies: readonly RequestRecord[], free: readonly RequestRecord[]) {
  return {
    copyRate: perStreamRate(copies),
    copyAccepted: acceptanceRate(copies),
    freeRate: perStreamRate(free),
    freeAccepted: acceptanceRate(free),
  };
}
