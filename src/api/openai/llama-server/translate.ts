import { refusalOf } from "../../../core/errors.js";
import type { RawGenerationRequest, RawPrompt } from "../../../core/generation-request.js";
import { toProgressReporting } from "../progress.js";
import { toConstraint } from "../translate-constraint.js";
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

/** Prompts of one request. Each of their answers takes a slot, so the queue may refuse fewer. */
const MAX_PROMPTS = 1_000;

type Parts = readonly (string | number)[];
type Prompt = NativeCompletionRequest["prompt"];

/**
 * The prompts of a request. As with llama-server, a list with token ids in it is one prompt, any other
 * list several.
 * @throws {GgufdError} `invalid_request` for too many
 */
function toPrompts(prompt: Prompt): readonly RawPrompt[] {
  if (typeof prompt === "string") return [{ type: "text", text: prompt }];
  if (!Array.isArray(prompt)) return [{ type: "text", text: prompt.prompt_string }];
  if (isOnePrompt(prompt)) return [toPrompt(prompt, "prompt")];
  if (prompt.length > MAX_PROMPTS) {
    const reason = `expected at most ${MAX_PROMPTS} prompts, got ${prompt.length}`;
    throw refusalOf("invalid_request", [{ field: "prompt", reason }]);
  }
  return prompt.map((one, index) => {
    const field = `prompt.${index}`;
    if (typeof one === "string") return { type: "text", text: one, field };
    if (!Array.isArray(one)) return { type: "text", text: one.prompt_string, field };
    return toPrompt(one, field);
  });
}

function isOnePrompt(prompt: Extract<Prompt, readonly unknown[]>): prompt is (string | number)[] {
  return prompt.some((part) => typeof part === "number");
}

function toPrompt(parts: Parts, field: string): RawPrompt {
  return isTokens(parts)
    ? { type: "tokens", tokens: parts, field }
    : { type: "mixed", parts, field };
}

function isTokens(parts: Parts): parts is readonly number[] {
  return parts.every((part) => typeof part === "number");
}
