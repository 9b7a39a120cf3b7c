import type { BatchPart } from "../llama/token-context.js";
import type { Draft } from "../speculation/generation-drafts.js";
import type { RunningGeneration } from "./running-generation.js";
import type { StepWork as PlannedWork } from "./step-plan.js";

/** What one generation is to do in a step. */
export type PlannedStep = PlannedWork & { readonly generation: RunningGeneration };

/** What one generation does in a step. */
export interface StepWork {
  readonly kind: PlannedWork["kind"];
  readonly generation: RunningGeneration;
  readonly part: BatchPart;
  /** Tokens that may follow the one sampled last. */
  readonly draft: Draft | undefined;
}

/** A plan with the tokens that it is about. */
export function toWork(planned: PlannedStep, drafts: ReadonlyMap<number, Draft>): StepWork {
  const { kind, generation } = planned;
  if (kind === "prefill") {
    return { kind, generation, draft: undefined, part: generation.promptPart(planned.tokens) };
  }
  const draft = drafts.get(planned.sequenceId);
  return { kind, generation, draft, part: generation.decodePart(draft?.tokens ?? []) };
}
