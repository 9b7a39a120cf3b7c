import { refusalOf } from "../../../core/errors.js";
import type { RawGenerationRequest, RawPrompt } from "../../../core/generation-request.js";
import { toConstraint } from "../translate-constraint.js";
import { toSampling, toStopping } from "../translate-sampling.js";
import type { TextCompletionRequest } from "./schema.js";

/** OpenAI's limit of a completion without one. */
const DEFAULT_MAX_TOKENS = 16;

/** What a request asks for, prompt by prompt. */
export interface CompletionPlan {
  /** One for each prompt, with all of its completions. */
  readonly requests: readonly RawGenerationRequest[];
  /** What each prompt's completions begin with: itself, with `echo`. */
  readonly echoes: readonly string[];
  /** Completions that are generated for each prompt, and those of them that are returned. */
  readonly generated: number;
  readonly returned: number;
  /** `unreported`: the best of several are chosen by them at most. */
  readonly logprobs: "reported" | "unreported";
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
  const shared = {
    sampling: toSampling(body),
    stopping: toStopping(body, DEFAULT_MAX_TOKENS),
    choices: generated,
    topLogProbabilities: needsScores ? (logprobs ?? 0) : undefined,
    constraint: toConstraint(body),
  };
  return {
    requests: prompts.map((prompt, index) => ({ id: `${id}-${index}`, prompt, ...shared })),
    echoes: prompts.map((prompt) => (body.echo ? echoOf(prompt) : "")),
    generated,
    returned,
    logprobs: logprobs === undefined ? "unreported" : "reported",
  };
}

function rejectContradictions(
  { best_of: bestOf, echo, logprobs, stream }: TextCompletionRequest,
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
  if (echo && logprobs !== undefined) {
    const reason = "expected none with echo: those of a prompt's tokens are not supported yet";
    throw refusalOf("unsupported_parameter", [{ field: "logprobs", reason }]);
  }
}

function promptsOf({ prompt, suffix }: TextCompletionRequest): readonly RawPrompt[] {
  const prompts: readonly (string | readonly number[])[] =
    typeof prompt === "string" ? [prompt] : isTokens(prompt) ? [prompt] : prompt;
  return prompts.map((one) => {
    if (typeof one !== "string") {
      if (suffix === undefined) return { type: "tokens", tokens: one };
      const reason = "expected none with token ids: the texts around a gap are texts";
      throw refusalOf("invalid_request", [{ field: "suffix", reason }]);
    }
    if (suffix === undefined) return { type: "text", text: one };
    return { type: "infill", prefix: one, suffix, suffixField: "suffix" };
  });
}

function isTokens(
  prompt: readonly string[] | readonly number[] | readonly (readonly number[])[],
): prompt is readonly number[] {
  return typeof prompt[0] === "number";
}

function echoOf(prompt: RawPrompt): string {
  switch (prompt.type) {
    case "text":
      return prompt.text;
    case "infill":
      return prompt.prefix;
    case "tokens": {
      const reason = "expected false: the text of token ids is not echoed yet";
      throw refusalOf("unsupported_parameter", [{ field: "echo", reason }]);
    }
  }
}
