import { refusalOf } from "../../../core/errors.js";
import type {
  InfillPrompt,
  RawGenerationRequest,
  TextPrompt,
  TokenPrompt,
} from "../../../core/generation-request.js";
import { toEvaluation } from "../cache-prompt.js";
import { toConstraint } from "../translate-constraint.js";
import { toSampling, toStopping } from "../translate-sampling.js";
import type { TextCompletionRequest } from "./schema.js";

/** OpenAI's limit of a completion without one. */
const DEFAULT_MAX_TOKENS = 16;

export type CompletionPrompt = TextPrompt | TokenPrompt | InfillPrompt;

/** What a request asks for, prompt by prompt. */
export interface CompletionPlan {
  /** One for each prompt, with all of its completions. */
  readonly requests: readonly (RawGenerationRequest & { readonly prompt: CompletionPrompt })[];
  /** What completions begin with. */
  readonly echo: "prompts" | "none";
  /** Completions that are generated for each prompt, and those of them that are returned. */
  readonly generated: number;
  readonly returned: number;
  /** Of which tokens they are reported. `none`: the best of several are chosen by them at most. */
  readonly logprobs: "completions" | "prompts-and-completions" | "none";
}

/**
 * Translates a completion request for the engine.
 * @param id unique among the requests in flight
 * @throws {GgufdError} `invalid_request`, `unsupported_parameter`
 */
export function toCompletionPlan(body: TextCompletionRequest, id: string): CompletionPlan {
  const { n: returned = 1, best_of: generated = returned, logprobs } = body;
  rejectContradictions(body, { returned, generated });
  const prompts = promptsOf(body);
  const needsScores = logprobs !== undefined || generated > returned;
  const isPromptScored = body.echo === true && logprobs !== undefined;
  const shared = {
    sampling: toSampling(body),
    stopping: toStopping(body, DEFAULT_MAX_TOKENS),
    choices: generated,
    topLogProbabilities: needsScores ? (logprobs ?? 0) : undefined,
    ...(isPromptScored && { scoredTokens: "all" as const }),
    constraint: toConstraint(body),
    priority: body.priority,
    evaluation: toEvaluation(body.cache_prompt),
  };
  return {
    requests: prompts.map((prompt, index) => ({ id: `${id}-${index}`, prompt, ...shared })),
    echo: body.echo ? "prompts" : "none",
    generated,
    returned,
    logprobs:
      logprobs === undefined ? "none" : isPromptScored ? "prompts-and-completions" : "completions",
  };
}

function rejectContradictions(
  { best_of: bestOf, echo, logprobs, stream, suffix }: TextCompletionRequest,
  { returned, generated }: Pick<CompletionPlan, "returned" | "generated">,
): void {
  if (bestOf !== undefined && bestOf < returned) {
    const reason = `expected at least n, which is ${returned}, got ${bestOf}`;
    throw refusalOf("invalid_request", [{ field: "best_of", reason }]);
  }
  if (stream && generated > returned) {
    const reason = `expected n, which is ${returned}, because a stream cannot choose, got ${generated}`;
    throw refusalOf("invalid_request", [{ field: "best_of", reason }]);
  }
  if (echo && logprobs !== undefined && suffix !== undefined) {
    const reason =
      "expected none with echo and suffix: the tokens around a gap are not those of the echo";
    throw refusalOf("unsupported_parameter", [{ field: "logprobs", reason }]);
  }
}

function promptsOf({ prompt, suffix }: TextCompletionRequest): readonly CompletionPrompt[] {
  const isOne = typeof prompt === "string" || isTokens(prompt);
  const prompts: readonly (string | readonly number[])[] = isOne ? [prompt] : prompt;
  return prompts.map((one, index) => {
    const place = isOne ? {} : { field: `prompt.${index}` };
    if (typeof one !== "string") {
      if (suffix === undefined) return { type: "tokens", tokens: one, ...place };
      const reason = "expected none with token ids: the texts around a gap are texts";
      throw refusalOf("invalid_request", [{ field: "suffix", reason }]);
    }
    if (suffix === undefined) return { type: "text", text: one, ...place };
    return { type: "infill", prefix: one, suffix, ...place, suffixField: "suffix" };
  });
}

function isTokens(
  prompt: readonly string[] | readonly number[] | readonly (readonly number[])[],
): prompt is readonly number[] {
  return typeof prompt[0] === "number";
}
