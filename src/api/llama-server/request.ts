import { z } from "zod";
import { createRefusal } from "../../core/errors.js";
import type { RawGenerationRequest, RawPrompt } from "../../core/generation-request.js";
import { boundedArray } from "../../validation/bounded-collections.js";
import { integerBetween, trueOrFalse } from "../../validation/fields.js";
import { toConstraint } from "../fields/constraint.js";
import { progressFields, toProgressReporting } from "../fields/generation-fields.js";
import { allowNullWhereOptional } from "../fields/nulls.js";
import { promptObject, toMarkedPrompt } from "./media-prompt.js";
import { nativeFields, type SharedNames, toNativeParameters } from "./parameters.js";

/** More than a request body can contain. */
const MAX_PROMPT_TOKENS = 1_000_000;

/** Answers to one prompt. */
const MAX_COMPLETIONS = 16;

/** Most probable tokens reported for each token. */
const MAX_PROBABILITIES = 20;

const partError = { error: "expected a text or a token id" };

const textOrToken = z.union([z.string(), integerBetween(0, Number.MAX_SAFE_INTEGER)], partError);

const parts = boundedArray(
  z.array(textOrToken).min(1, { error: "expected at least one text or token id" }),
  { max: MAX_PROMPT_TOKENS, of: "texts and token ids" },
);

const prompts = boundedArray(
  z
    .array(
      z.union([z.string(), promptObject, parts], {
        error: "expected a text, an object with prompt_string, or texts and token ids",
      }),
    )
    .min(1, {
      error: "expected at least one prompt",
    }),
  { max: MAX_PROMPT_TOKENS, of: "prompts" },
);

const promptError =
  "expected a text, an object with prompt_string, a list of texts and token ids, or a list of these";

/** Body of `POST /completion`, after nulls, which mean absent, have been removed. */
export const nativeCompletionRequest = z
  .looseObject(
    {
      ...nativeFields(),
      prompt: z.union([z.string(), promptObject, parts, prompts], { error: promptError }).meta({
        description:
          'The prompt: a text, `{"prompt_string": text, "multimodal_data": [base64]}`, or a list with token ids. A list of texts, such objects or lists is several prompts.',
      }),
      n_cmpl: integerBetween(1, MAX_COMPLETIONS).optional().meta({
        description: "Number of answers per prompt.",
      }),
      n: integerBetween(1, MAX_COMPLETIONS).optional().meta({ description: "Same as `n_cmpl`." }),
      return_tokens: trueOrFalse().optional().meta({
        description: "Whether an answer that is not streamed includes its token ids.",
      }),
      n_probs: integerBetween(0, MAX_PROBABILITIES).optional().meta({
        description: "Number of most probable tokens to report per token. 0: none.",
      }),
      post_sampling_probs: trueOrFalse().optional().meta({
        description:
          "Whether `n_probs` reports probabilities after all sampling parameters were applied. Tokens of probability 0 are left out.",
      }),
      id_slot: integerBetween(-1, Number.MAX_SAFE_INTEGER).optional().meta({
        description:
          "Preferred slot; another one is used if it is busy. -1: the slot whose cache matches the prompt best. `id_slot` of the answer is the slot used.",
      }),
      ...progressFields(),
      stream: trueOrFalse()
        .optional()
        .meta({ description: "Whether to stream the answer as server-sent events." }),
    },
    { error: "expected a JSON object" },
  )
  .meta({
    id: "NativeCompletionRequest",
    description:
      "Optional fields may be `null`, which counts as absent. Unknown fields are ignored.",
    override: allowNullWhereOptional,
  });

type NativeCompletionRequest = z.output<typeof nativeCompletionRequest>;

/** Value of `id_slot` that lets the server choose the best slot for the prompt. */
export const ANY_SLOT = -1;

/** Request after llama-server's own conventions have been translated to the OpenAI endpoints'. */
export type SharedRequest = SharedNames<NativeCompletionRequest>;

/**
 * Creates one generation request per prompt, with all of its answers.
 * @param id unique among the requests in flight
 * @throws {GgufdError} `invalid_request`
 */
export function toGenerations(body: SharedRequest, id: string): readonly RawGenerationRequest[] {
  const { n_probs: probabilities = 0, post_sampling_probs: isPostSampling } = body;
  const { id_slot: slot = ANY_SLOT } = body;
  const progress = toProgressReporting(body);
  const shared = {
    ...toNativeParameters(body),
    choices: countAnswersPerPrompt(body),
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

/** Returns the number of answers to each prompt. */
export function countAnswersPerPrompt({ n_cmpl, n }: Pick<SharedRequest, "n_cmpl" | "n">): number {
  return n_cmpl ?? n ?? 1;
}

/** Prompts of one request. The queue's limit may be lower, because each answer takes a slot. */
const MAX_PROMPTS = 1_000;

type Parts = readonly (string | number)[];

type Prompt = NativeCompletionRequest["prompt"];

/**
 * Parses the prompts of a request. As in llama-server, a list that contains token ids is one
 * prompt, and any other list is several.
 * @throws {GgufdError} `invalid_request` for too many prompts, and for files that do not match the
 *   markers
 */
function toPrompts(prompt: Prompt): readonly RawPrompt[] {
  if (typeof prompt === "string") return [{ type: "text", text: prompt }];
  if (!Array.isArray(prompt)) return [toMarkedPrompt(prompt, "prompt")];
  if (isOnePrompt(prompt)) return [toPrompt(prompt, "prompt")];
  if (prompt.length > MAX_PROMPTS) {
    const reason = `expected at most ${MAX_PROMPTS} prompts, got ${prompt.length}`;
    throw createRefusal("invalid_request", [{ field: "prompt", reason }]);
  }
  return prompt.map((one, index) => {
    const field = `prompt.${index}`;
    if (typeof one === "string") return { type: "text", text: one, field };
    if (!Array.isArray(one)) return toMarkedPrompt(one, field);
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
