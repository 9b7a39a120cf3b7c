import type { SamplingOptions } from "./sampling-options.js";

/** Tokens that the repetition penalty looks back at: llama.cpp's default. */
const REPETITION_WINDOW_TOKENS = 64;

/**
 * The tokens that penalties apply to. Presence and frequency penalties count the generated tokens,
 * as OpenAI defines them. A repetition penalty looks at the last 64 tokens including the prompt, as
 * in llama.cpp, and then all three share that window.
 */
export function penalisedTokens(
  penalties: NonNullable<SamplingOptions["penalties"]>,
  promptTokens: readonly number[],
  generated: readonly number[],
): number[] {
  if (penalties.repetition === 1) return [...generated];
  const fromPrompt = REPETITION_WINDOW_TOKENS - generated.length;
  return fromPrompt > 0
    ? [...promptTokens.slice(-fromPrompt), ...generated]
    : generated.slice(-REPETITION_WINDOW_TOKENS);
}
