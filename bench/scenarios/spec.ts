import { inParallel } from "../client/in-parallel.js";
import type { RequestRecord } from "../client/request-record.js";
import { acceptedShare, streamRate } from "./reductions.js";
import type { Scenario } from "./scenario.js";

/** As many as also a very small model repeats without a fault. */
const COPIED_WORDS = 5;

const sizes = {
  full: { copies: 48, copyTokens: 64, free: 12, freeTokens: 128 },
  quick: { copies: 4, copyTokens: 64, free: 2, freeTokens: 24 },
} as const;

/** Text that is in the prompt already, and text that is not: speculation should help and not hurt. */
export const spec: Scenario = {
  name: "spec",
  description: "copying tasks and free text, our speculation on against off",
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
  async run({ clients, effort, prompts, ask }) {
    const { copies, copyTokens, free, freeTokens } = sizes[effort];
    const copied = await inParallel(copies, clients, (number) => {
      const content = `Repeat after me: ${prompts.words(`copy ${number}`, COPIED_WORDS)}`;
      const messages = [{ role: "user" as const, content }];
      return ask({ messages, maxTokens: copyTokens, endedBy: "model" });
    });
    const told = await inParallel(free, clients, (number) => {
      const content = `Tell me a story about ${prompts.words(`free ${number}`, 3)}.`;
      const messages = [{ role: "user" as const, content }];
      // A greedy model repeats itself sooner or later, and that is no free text any more.
      return ask({ messages, maxTokens: freeTokens, sampling: { temperature: 1, seed: number } });
    });
    return specMeasures(copied, told);
  },
};

/** What one run comes to. */
export function specMeasures(copies: readonly RequestRecord[], free: readonly RequestRecord[]) {
  return {
    copyRate: streamRate(copies),
    copyAccepted: acceptedShare(copies),
    freeRate: streamRate(free),
    freeAccepted: acceptedShare(free),
  };
}
