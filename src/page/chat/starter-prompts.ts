import type { ListedModel } from "../../api/models/models.js";

/** A question to begin with. */
export interface StarterPrompt {
  readonly title: string;
  readonly text: string;
}

type Capability = NonNullable<ListedModel["capabilities"]>[number];

/** Number of prompts that are offered. */
const OFFERED = 3;

/** Prompts in order of preference, each with the capability it requires. */
const PROMPTS: readonly (StarterPrompt & { readonly requires: Capability })[] = [
  {
    title: "Describe an image",
    text: "Describe this image in three sentences, then list all text in it.",
    requires: "vision",
  },
  {
    title: "Transcribe a recording",
    text: "Transcribe this recording word for word.",
    requires: "audio",
  },
  {
    title: "Solve a riddle",
    text: "A bat and a ball cost 11 francs together. The bat costs 10 francs more than the ball. How much is the ball?",
    requires: "reasoning",
  },
  {
    title: "Write code",
    text: "Write a Python function that merges two sorted lists, with three tests.",
    requires: "infill",
  },
  {
    title: "Explain a concept",
    text: "Explain how a hash table works, in five sentences and with one example.",
    requires: "completion",
  },
  {
    title: "Draft a message",
    text: "Draft a short, friendly e-mail that moves a meeting from Tuesday to Thursday.",
    requires: "completion",
  },
  {
    title: "Compare in a table",
    text: "Compare TCP and UDP in a table: reliability, order, overhead, typical use.",
    requires: "completion",
  },
];

/**
 * Selects the prompts that work with a model.
 * @param capabilities absent: unknown, because the model is not loaded
 */
export function selectStarterPrompts(
  capabilities: readonly Capability[] = [],
): readonly StarterPrompt[] {
  return PROMPTS.filter(
    ({ requires }) => requires === "completion" || capabilities.includes(requires),
  ).slice(0, OFFERED);
}
