import type { GenerationEvent, TokenUsage } from "../../core/generation-event.js";
import { sumOf } from "../../core/sum-of.js";
import type { Timings, Usage } from "./response-schema.js";
import { UsageTotals } from "./usage-totals.js";

type Finished = Pick<Extract<GenerationEvent, { type: "finished" }>, "usage" | "timings">;

/**
 * The usage of completions that have ended.
 * @param completions in their order, those of the first prompt first
 * @param perPrompt completions of each prompt; default: there is one prompt
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
 * Maps prefill and decode timings to llama-server's `timings`: prefill of each prompt's first choice,
 * decoding of all, with both tokens and times added up, so that the rates are those of one.
 * @param choices in their order, those of the first prompt first
 * @param perPrompt choices of each prompt; default: there is one prompt
 */
export function toTimings(
  choices: readonly Finished[],
  perPrompt = Number.POSITIVE_INFINITY,
): Timings {
  const prefills = choices.filter((_, index) => index % perPrompt === 0);
  const cachedTokens = sumOf(prefills, ({ usage }) => usage.cachedTokens);
  const evaluatedTokens = sumOf(prefills, ({ usage }) => usage.promptTokens) - cachedTokens;
  const prefillMs = sumOf(prefills, ({ timings }) => timings.prefillMs);
  const completionTokens = sumOf(choices, ({ usage }) => usage.completionTokens);
  const decodeMs = sumOf(choices, ({ timings }) => timings.decodeMs);
  const draftTokens = sumOf(choices, ({ timings }) => timings.draftTokens);
  const acceptedDraftTokens = sumOf(choices, ({ timings }) => timings.acceptedDraftTokens);
  const forcedTokens = sumOf(choices, ({ timings }) => timings.forcedTokens);
  return {
    cache_n: cachedTokens,
    prompt_n: evaluatedTokens,
    prompt_ms: prefillMs,
    predicted_n: completionTokens,
    predicted_ms: decodeMs,
    prompt_per_second: perSecond(evaluatedTokens, prefillMs),
    // The first token of each choice is sampled at the end of prefill.
    predicted_per_second: perSecond(completionTokens - choices.length, decodeMs),
    ...(draftTokens === 0 ? {} : { draft_n: draftTokens, draft_n_accepted: acceptedDraftTokens }),
    ...(forcedTokens === 0 ? {} : { forced_n: forcedTokens }),
  };
}

function perSecond(tokens: number, milliseconds: number): number {
  return milliseconds > 0 ? (tokens / milliseconds) * 1000 : 0;
}
