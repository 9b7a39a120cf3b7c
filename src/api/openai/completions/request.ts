import { z } from "zod";
import { createRefusal } from "../../../core/errors.js";
import type {
  InfillPrompt,
  RawGenerationRequest,
  TextPrompt,
  TokenPrompt,
} from "../../../core/generation-request.js";
import { boundedArray, boundedCount } from "../../../validation/bounded-collections.js";
import { integerBetween, nonEmptyText, text, trueOrFalse } from "../../../validation/fields.js";
import { constraintFields, toConstraint } from "../../fields/constraint.js";
import {
  cachePromptField,
  priorityField,
  streamOptions,
  toEvaluation,
} from "../../fields/generation-fields.js";
import { loraField } from "../../fields/lora.js";
import { allowNullWhereOptional } from "../../fields/nulls.js";
import { samplingFields, stoppingFields, toSampling, toStopping } from "../../fields/sampling.js";

/** Prompts of one request. The queue's limit may be lower, because each completion takes a slot. */
const MAX_PROMPTS = 1_000;

/** More than a request body can contain. */
const MAX_PROMPT_TOKENS = 1_000_000;

/** Completions of one prompt. */
const MAX_COMPLETIONS = 16;

const atLeastOnePrompt = { error: "expected at least one prompt" };

const texts = boundedArray(
  z
    .array(z.string({ error: "expected a string, like the other prompts" }))
    .min(1, atLeastOnePrompt),
  { max: MAX_PROMPTS, of: "prompts" },
);

const tokens = boundedArray(
  z
    .array(integerBetween(0, Number.MAX_SAFE_INTEGER), { error: "expected token ids" })
    .min(1, { error: "expected at least one token id" }),
  { max: MAX_PROMPT_TOKENS, of: "token ids" },
);

const tokenLists = boundedArray(z.array(tokens).min(1, atLeastOnePrompt), {
  max: MAX_PROMPTS,
  of: "prompts",
});

const anyPrompt = z
  .union([z.string(), texts, tokens, tokenLists], {
    error: "expected a string, token ids, or an array of either",
  })
  .meta({ description: "The prompt or prompts, as texts or token ids." });

const prompt = boundedCount(anyPrompt, { max: MAX_PROMPTS, of: "prompts", countOf: countPrompts });

function countPrompts(value: unknown): number {
  return Array.isArray(value) && typeof value[0] !== "number" ? value.length : 1;
}

/** Body of `POST /v1/completions`, after nulls, which mean absent, have been removed. */
export const textCompletionRequest = z
  .looseObject(
    {
      model: nonEmptyText()
        .optional()
        .meta({ description: "Name of the model. Default: the first served model." }),
      prompt,
      suffix: text().optional().meta({
        description: "Text after the gap that the completion fills, for models that support it.",
      }),
      echo: trueOrFalse().optional().meta({
        description: "Whether the completion starts with the prompt, which must be a text.",
      }),
      n: integerBetween(1, MAX_COMPLETIONS).optional().meta({
        description: "Number of completions per prompt.",
      }),
      best_of: integerBetween(1, MAX_COMPLETIONS).optional().meta({
        description:
          "Number of completions to generate. The `n` with the highest log-probability per token are returned.",
      }),
      logprobs: integerBetween(0, 20).optional().meta({
        description: "Number of most probable tokens to report per token.",
      }),
      ...stoppingFields(),
      max_tokens: integerBetween(-1, Number.POSITIVE_INFINITY).optional().meta({
        description:
          "Maximum number of tokens to generate. -1: as many as fit into the context. 0: none, to get the log-probabilities of an echoed prompt.",
      }),
      ...samplingFields(),
      ...constraintFields(),
      stream: trueOrFalse()
        .optional()
        .meta({ description: "Whether to stream the answer as server-sent events." }),
      stream_options: streamOptions(),
      priority: priorityField(),
      cache_prompt: cachePromptField(),
      lora: loraField(),
    },
    { error: "expected a JSON object" },
  )
  .meta({
    id: "TextCompletionRequest",
    description:
      "Optional fields may be `null`, which counts as absent. Unknown fields are ignored. The default limit is 16 tokens, as at OpenAI.",
    override: allowNullWhereOptional,
  });

type TextCompletionRequest = z.output<typeof textCompletionRequest>;

/** OpenAI's default for `max_tokens` of a completion. */
const DEFAULT_MAX_TOKENS = 16;

export type CompletionPrompt = TextPrompt | TokenPrompt | InfillPrompt;

/** Generations of a request, and the part of them to return. */
export interface CompletionPlan {
  /** One request per prompt, with all of its completions. */
  readonly requests: readonly (RawGenerationRequest & { readonly prompt: CompletionPrompt })[];
  /** Text that completions begin with. */
  readonly echo: "prompts" | "none";
  /** Number of completions to generate for each prompt, and how many of them to return. */
  readonly generated: number;
  readonly returned: number;
  /**
   * Tokens whose log-probabilities are reported. `none`: log-probabilities are used, if at all,
   * only to choose the best completions.
   */
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
  const prompts = toPrompts(body);
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
    throw createRefusal("invalid_request", [{ field: "best_of", reason }]);
  }
  if (stream && generated > returned) {
    const reason = `expected n, which is ${returned}, because completions cannot be selected in a stream, got ${generated}`;
    throw createRefusal("invalid_request", [{ field: "best_of", reason }]);
  }
  if (echo && logprobs !== undefined && suffix !== undefined) {
    const reason =
      "expected none with echo and suffix: the infill prompt has other tokens than the echoed text";
    throw createRefusal("unsupported_parameter", [{ field: "logprobs", reason }]);
  }
}

function toPrompts({ prompt, suffix }: TextCompletionRequest): readonly CompletionPrompt[] {
  const isOne = typeof prompt === "string" || isTokens(prompt);
  const prompts: readonly (string | readonly number[])[] = isOne ? [prompt] : prompt;
  return prompts.map((one, index) => {
    const promptField = isOne ? {} : { field: `prompt.${index}` };
    if (typeof one !== "string") {
      if (suffix === undefined) return { type: "tokens", tokens: one, ...promptField };
      const reason = "expected none with token ids: a prompt with a suffix must be a text";
      throw createRefusal("invalid_request", [{ field: "suffix", reason }]);
    }
    if (suffix === undefined) return { type: "text", text: one, ...promptField };
    return { type: "infill", prefix: one, suffix, ...promptField, suffixField: "suffix" };
  });
}

function isTokens(
  prompt: readonly string[] | readonly number[] | readonly (readonly number[])[],
): prompt is readonly number[] {
  return typeof prompt[0] === "number";
}
