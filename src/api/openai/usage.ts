import type { GenerationEvent, TokenUsage } from "../../core/generation-event.js";
import type { Timings, Usage } from "./response-schema.js";

type Finished = Pick<Extract<GenerationEvent, { type: "finished" }>, "usage" | "timings">;

/**
 * Maps token counts to OpenAI's `usage`. The prompt counts once, as the first choice found it; the
 * completions of all choices are added up.
 * @param choices in their order
 */
export function toUsage(choices: readonly TokenUsage[]): Usage {
  const { promptTokens = 0, cachedTokens = 0 } = choices[0] ?? {};
  const completionTokens = sum(choices, (choice) => choice.completionTokens);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
    completion_tokens_details: {
      reasoning_tokens: sum(choices, (choice) => choice.reasoningTokens),
      accepted_prediction_tokens: sum(choices, ({ prediction }) => prediction?.acceptedTokens ?? 0),
      rejected_prediction_tokens: sum(choices, ({ prediction }) => prediction?.rejectedTokens ?? 0),
    },
  };
}

/**
 * Maps prefill and decode timings to llama-server's `timings`: prefill of the first choice, decoding of
 * all, with both tokens and times added up, so that the rate is that of one choice.
 * @param choices in their order
 */
export function toTimings(choices: readonly Finished[]): Timings {
  const { promptTokens = 0, cachedTokens = 0 } = choices[0]?.usage ?? {};
  const prefillMs = choices[0]?.timings.prefillMs ?? 0;
  const evaluatedTokens = promptTokens - cachedTokens;
  const completionTokens = sum(choices, ({ usage }) => usage.completionTokens);
  const decodeMs = sum(choices, ({ timings }) => timings.decodeMs);
  const draftTokens = sum(choices, ({ timings }) => timings.draftTokens);
  const acceptedDraftTokens = sum(choices, ({ timings }) => timings.acceptedDraftTokens);
  const forcedTokens = sum(choices, ({ timings }) => timings.forcedTokens);
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

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

function perSecond(tokens: number, milliseconds: number): number {
  return milliseconds > 0 ? (tokens / milliseconds) * 1000 : 0;
}
