import { lastTokens } from "../sampling/penalties.js";
import type { DryOptions, Penalties, SamplingOptions } from "../sampling/sampling-options.js";
import type { SamplerDescription, SamplerStage } from "./companion/native-companion.js";
import type { SamplingContext } from "./token-context.js";

const NO_TOKENS = new Int32Array();

/**
 * The native samplers of a generation, as llama.cpp's programs arrange them (`common_sampler_init`).
 * @param maxTokens that a text can have
 */
export function describeSampler(
  { options, promptTokens }: SamplingContext,
  maxTokens: number,
): SamplerDescription {
  const { logitBias, forbidden } = options;
  return {
    biasTokens: Int32Array.from(logitBias.keys()),
    biasValues: Float32Array.from(logitBias.values()),
    forbidden: forbidden.map(({ tokens, until }) => ({
      tokens: Int32Array.from(tokens),
      until: Math.min(until, maxTokens),
    })),
    stages: [...lookingBack(options, promptTokens, maxTokens), ...choosing(options)],
  };
}

function lookingBack(
  { penalties, dry }: SamplingOptions,
  promptTokens: readonly number[],
  maxTokens: number,
): readonly SamplerStage[] {
  const stages: SamplerStage[] = [];
  if (penalties !== undefined) stages.push(penaltyStage(penalties, promptTokens, maxTokens));
  if (dry !== undefined) stages.push(dryStage(dry, promptTokens, maxTokens));
  return stages;
}

function penaltyStage(
  { repetition, presence, frequency, window }: Penalties,
  promptTokens: readonly number[],
  maxTokens: number,
): SamplerStage {
  return {
    type: "penalties",
    window: windowTokens(window, maxTokens),
    repetition,
    presence,
    frequency,
    history: window === "generated" ? NO_TOKENS : Int32Array.from(lastTokens(window, promptTokens)),
  };
}

function dryStage(
  { multiplier, base, allowedLength, window, breakers }: DryOptions,
  promptTokens: readonly number[],
  maxTokens: number,
): SamplerStage {
  const encoded = [...breakers].flatMap(([token, rests]) =>
    rests.flatMap((rest) => [1 + rest.length, token, ...rest]),
  );
  return {
    type: "dry",
    multiplier,
    base,
    allowedLength,
    window: windowTokens(window, maxTokens),
    breakers: Int32Array.from(encoded),
    history: Int32Array.from(lastTokens(window, promptTokens)),
  };
}

function windowTokens(window: "generated" | number, maxTokens: number): number {
  return window === "generated" ? maxTokens : Math.min(window, maxTokens);
}

/** What draws from the logits that penalties have left. */
function choosing(options: SamplingOptions): readonly SamplerStage[] {
  const { temperature, topK, topP, minP, xtc, seed } = options;
  // The others keep the most likely token, whatever they are.
  if (temperature === 0 && xtc === undefined) return [{ type: "greedy" }];
  const minKeep = 0;
  return [
    ...(topK > 0 ? [{ type: "top-k", k: topK } as const] : []),
    ...(topP < 1 ? [{ type: "top-p", p: topP, minKeep } as const] : []),
    ...(minP > 0 ? [{ type: "min-p", p: minP, minKeep } as const] : []),
    ...(xtc === undefined ? [] : [{ type: "xtc", ...xtc, minKeep, seed } as const]),
    { type: "temperature", temperature, range: 0, exponent: 1 },
    { type: "distribution", seed },
  ];
}
