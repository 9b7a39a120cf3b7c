import assert from "node:assert/strict";
import { z } from "zod";
import type { GenerationEvent, TokenUsage } from "../../core/generation-event.js";
import { sumBy } from "../../core/sum-by.js";
import type { AnswerEvent } from "../answers/collected-answer.js";
import type { UsageReporting } from "./generation-fields.js";

const count = (description: string) => z.int().nonnegative().meta({ description });

const milliseconds = (description: string) => z.number().nonnegative().meta({ description });

/** OpenAI's `usage`. */
export const usage = z
  .object({
    prompt_tokens: count("Tokens of the whole prompt, cached or not."),
    completion_tokens: count("All sampled tokens, including the end-of-generation token."),
    total_tokens: count("Prompt and completion tokens together."),
    prompt_tokens_details: z.object({
      cached_tokens: count("Prompt tokens read from the cache."),
    }),
    completion_tokens_details: z.object({
      reasoning_tokens: count("Completion tokens spent on reasoning."),
      accepted_prediction_tokens: count("Prediction tokens that appear in the completion."),
      rejected_prediction_tokens: count(
        "Prediction tokens that were rejected; part of neither the completion nor its token count.",
      ),
    }),
  })
  .meta({ id: "Usage", description: "Token usage of a request." });

type Usage = z.infer<typeof usage>;

/** llama-server's `timings`. */
export const timings = z
  .object({
    cache_n: count("Prompt tokens read from the cache."),
    prompt_n: count("Prompt tokens that were evaluated."),
    prompt_ms: milliseconds("From slot assignment to the first token, in milliseconds."),
    prompt_per_token_ms: milliseconds("Milliseconds per evaluated prompt token."),
    prompt_per_second: milliseconds("Prompt tokens evaluated per second."),
    predicted_n: count("Generated tokens."),
    predicted_ms: milliseconds("From the first to the last token, in milliseconds."),
    predicted_per_token_ms: milliseconds("Milliseconds per token after the first."),
    predicted_per_second: milliseconds("Tokens generated per second."),
    draft_n: count("Draft tokens of speculative decoding; absent if there were none.").optional(),
    draft_n_accepted: count("Accepted draft tokens.").optional(),
    forced_n: count(
      "Tokens determined by a constraint and evaluated together with other tokens in one step; absent if there were none.",
    ).optional(),
  })
  .meta({
    id: "Timings",
    description: "Prefill and decode timings, in llama-server's format.",
  });

type Timings = z.infer<typeof timings>;

/** llama-server's `prompt_progress`: evaluated tokens of a prompt, and elapsed milliseconds. */
export const promptProgress = z
  .object({
    total: z.int().nonnegative().meta({ description: "Prompt tokens." }),
    cache: z.int().nonnegative().meta({ description: "Prompt tokens read from the cache." }),
    processed: z
      .int()
      .nonnegative()
      .meta({ description: "Prompt tokens processed so far, cached or evaluated." }),
    time_ms: z
      .number()
      .nonnegative()
      .meta({ description: "Milliseconds since the slot was assigned." }),
  })
  .meta({ id: "PromptProgress" });

type PromptProgress = z.infer<typeof promptProgress>;

type FinishedChoice = Pick<Extract<GenerationEvent, { type: "finished" }>, "usage" | "timings">;

/**
 * Adds up the usage of finished completions.
 * @param completions in request order, completions of the first prompt first
 * @param perPrompt completions per prompt; default: there is one prompt
 */
export function toUsage(
  completions: readonly TokenUsage[],
  perPrompt = Number.POSITIVE_INFINITY,
): Usage {
  const totals = new UsageTotals(perPrompt);
  for (const [index, usage] of completions.entries()) totals.set(index, usage);
  return totals.usage;
}

/**
 * Converts timings to llama-server's `timings`: prefill of each prompt's first choice and decoding
 * of all choices. Tokens and times are both added up, so the rates are per choice.
 * @param choices in request order, choices of the first prompt first
 * @param perPrompt choices per prompt; default: there is one prompt
 */
export function toTimings(
  choices: readonly FinishedChoice[],
  perPrompt = Number.POSITIVE_INFINITY,
): Timings {
  const prefills = choices.filter((_, index) => index % perPrompt === 0);
  const cachedTokens = sumBy(prefills, ({ usage }) => usage.cachedTokens);
  const evaluatedTokens = sumBy(prefills, ({ usage }) => usage.promptTokens) - cachedTokens;
  assert(evaluatedTokens >= 0, "cached tokens must not exceed prompt tokens");
  const prefillMs = sumBy(prefills, ({ timings }) => timings.prefillMs);
  const completionTokens = sumBy(choices, ({ usage }) => usage.completionTokens);
  // The first token of each choice is sampled at the end of prefill.
  const decodedTokens = Math.max(0, completionTokens - choices.length);
  const decodeMs = sumBy(choices, ({ timings }) => timings.decodeMs);
  const draftTokens = sumBy(choices, ({ timings }) => timings.draftTokens);
  const acceptedDraftTokens = sumBy(choices, ({ timings }) => timings.acceptedDraftTokens);
  const forcedTokens = sumBy(choices, ({ timings }) => timings.forcedTokens);
  return {
    cache_n: cachedTokens,
    prompt_n: evaluatedTokens,
    prompt_ms: prefillMs,
    prompt_per_token_ms: computeMsPerToken(evaluatedTokens, prefillMs),
    prompt_per_second: computePerSecond(evaluatedTokens, prefillMs),
    predicted_n: completionTokens,
    predicted_ms: decodeMs,
    predicted_per_token_ms: computeMsPerToken(decodedTokens, decodeMs),
    predicted_per_second: computePerSecond(decodedTokens, decodeMs),
    ...(draftTokens === 0 ? {} : { draft_n: draftTokens, draft_n_accepted: acceptedDraftTokens }),
    ...(forcedTokens === 0 ? {} : { forced_n: forcedTokens }),
  };
}

/** Adds the times per token to timings that an earlier release has stored without them. */
export function withTimesPerToken(stored: Readonly<Record<string, unknown>>) {
  const { prompt_n, prompt_ms, predicted_n, predicted_ms } = stored;
  return {
    prompt_per_token_ms: computeMsPerToken(Number(prompt_n), Number(prompt_ms)),
    predicted_per_token_ms: computeMsPerToken(Number(predicted_n) - 1, Number(predicted_ms)),
    ...stored,
  };
}

function computeMsPerToken(tokens: number, milliseconds: number): number {
  return tokens > 0 ? milliseconds / tokens : 0;
}

function computePerSecond(tokens: number, milliseconds: number): number {
  return milliseconds > 0 ? (tokens / milliseconds) * 1000 : 0;
}

/**
 * Running usage of a request. Each prompt counts once, with the cached tokens that its first
 * completion found; all completions are added up. An update takes constant time.
 */
export class UsageTotals {
  readonly #perPrompt: number;
  readonly #completions = new Map<number, TokenUsage>();
  /** Lowest index of the completions added so far, by index of their prompt. */
  readonly #firstIndexes = new Map<number, number>();
  #prompt = 0;
  #cached = 0;
  #completion = 0;
  #reasoning = 0;
  #accepted = 0;
  #rejected = 0;

  /** @param perPrompt completions per prompt; Infinity: there is one prompt */
  constructor(perPrompt: number) {
    assert(perPrompt >= 1, "every prompt must have a completion");
    this.#perPrompt = perPrompt;
  }

  /** @param index index of the completion; completions of the first prompt come first */
  set(index: number, usage: TokenUsage): void {
    const prompt = Math.floor(index / this.#perPrompt);
    const firstIndex = this.#firstIndexes.get(prompt) ?? index;
    if (index <= firstIndex) {
      this.#countPrompt(this.#completions.get(firstIndex), -1);
      this.#countPrompt(usage, 1);
      this.#firstIndexes.set(prompt, index);
    }
    this.#countCompletion(this.#completions.get(index), -1);
    this.#countCompletion(usage, 1);
    this.#completions.set(index, usage);
  }

  /** Usage of all completions so far. */
  get usage(): Usage {
    return {
      prompt_tokens: this.#prompt,
      completion_tokens: this.#completion,
      total_tokens: this.#prompt + this.#completion,
      prompt_tokens_details: { cached_tokens: this.#cached },
      completion_tokens_details: {
        reasoning_tokens: this.#reasoning,
        accepted_prediction_tokens: this.#accepted,
        rejected_prediction_tokens: this.#rejected,
      },
    };
  }

  /**
   * Returns the usage for any chunk before the last: null if only the last chunk has the usage, as
   * in OpenAI's API.
   */
  getInterimUsage(reporting: UsageReporting): Usage | null | undefined {
    if (reporting === "none") return undefined;
    return reporting === "continuous" ? this.usage : null;
  }

  #countPrompt(usage: TokenUsage | undefined, times: 1 | -1): void {
    this.#prompt += times * (usage?.promptTokens ?? 0);
    this.#cached += times * (usage?.cachedTokens ?? 0);
  }

  #countCompletion(usage: TokenUsage | undefined, times: 1 | -1): void {
    this.#completion += times * (usage?.completionTokens ?? 0);
    this.#reasoning += times * (usage?.reasoningTokens ?? 0);
    this.#accepted += times * (usage?.prediction?.acceptedTokens ?? 0);
    this.#rejected += times * (usage?.prediction?.rejectedTokens ?? 0);
  }
}

type PromptProgressEvent = Extract<GenerationEvent, { type: "prompt-progress" }>;

/** Converts prompt progress to llama-server's `prompt_progress`. */
export function toPromptProgress({
  processedTokens,
  elapsedMs,
  usage,
}: PromptProgressEvent): PromptProgress {
  return {
    total: usage.promptTokens,
    cache: usage.cachedTokens,
    processed: processedTokens,
    time_ms: elapsedMs,
  };
}

/** Returns the timings of a piece of text or of prompt progress, if the request asks for them. */
export function toInterimTimings(event: AnswerEvent): { readonly timings?: Timings } {
  if (event.type !== "text-delta" && event.type !== "prompt-progress") return {};
  const { timings, type, usage } = event;
  if (timings === undefined) return {};
  const promptTokens = type === "text-delta" ? usage.promptTokens : event.processedTokens;
  // As in llama-server, the time until the first token is evaluated counts from that token on.
  const hasBegun = promptTokens > usage.cachedTokens;
  const phases = { ...timings, ...(!hasBegun && { prefillMs: 0 }) };
  return { timings: toTimings([{ timings: phases, usage: { ...usage, promptTokens } }]) };
}

/**
 * Token count of a prompt: the response of `/v1/responses/input_tokens` and of its chat equivalent.
 */
export const inputTokenCount = z
  .object({ object: z.literal("response.input_tokens"), input_tokens: z.int().nonnegative() })
  .meta({ id: "InputTokenCount" });

export type InputTokenCount = z.infer<typeof inputTokenCount>;
