import type { RawGenerationRequest } from "../../../core/generation-request.js";
import { toProgressReporting } from "../progress.js";
import { toConstraint } from "../translate-constraint.js";
import { toPrompts } from "./prompts.js";
import { type SharedNames, toNativeParameters } from "./sampling.js";
import type { NativeCompletionRequest } from "./schema.js";

/** The slot that suits the prompt best. */
export const ANY_SLOT = -1;

/** A request without what llama-server says in its own way. */
export type SharedRequest = SharedNames<NativeCompletionRequest>;

/**
 * One request for each prompt, with all of its answers.
 * @param id unique among the requests in flight
 * @throws {GgufdError} `invalid_request`
 */
export function toGenerations(body: SharedRequest, id: string): readonly RawGenerationRequest[] {
  const { n_probs: probabilities = 0, post_sampling_probs: isPostSampling } = body;
  const { id_slot: slot = ANY_SLOT } = body;
  const progress = toProgressReporting(body);
  const shared = {
    ...toNativeParameters(body),
    choices: answersPerPrompt(body),
    topLogProbabilities: probabilities > 0 ? probabilities : undefined,
    ...(isPostSampling && { logProbabilities: "after-sampling" as const }),
    constraint: toConstraint(body),
    ...(progress && { progress }),
    ...(slot !== ANY_SLOT && { slot }),
  };
  return toPrompts(body.prompt).map((prompt, index) => ({
    id: `${id}-${index}`,
    prompt,
    ...shared,
  }));
}

/** How many answers each prompt gets. */
export function answersPerPrompt({ n_cmpl, n }: Pick<SharedRequest, "n_cmpl" | "n">): number {
  return n_cmpl ?? n ?? 1;
}
