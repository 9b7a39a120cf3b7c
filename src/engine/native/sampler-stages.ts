import type { SamplerName } from "../../core/samplers.js";
import type { DryOptions, Penalties, SamplingOptions } from "../sampling/sampling-options.js";
import type { SamplerDescription, SamplerStage } from "./companion/native-companion.js";
import { deviceKindOf, type SamplerLimits } from "./device-stages.js";
import type { SamplingContext } from "./token-context.js";

const NO_TOKENS = new Int32Array();

/** Numbers of tokens, and ids of them, are 32-bit integers in llama.cpp. */
const INT32_MAX = 2 ** 31 - 1;

const toInt32 = (count: number) => Math.min(count, INT32_MAX);

/** The native samplers of a generation, as llama.cpp's programs arrange them (`common_sampler_init`). */
export function describeSampler(
  { options, promptTokens }: SamplingContext,
  limits: SamplerLimits,
): SamplerDescription {
  const { logitBias, forbidden } = options;
  const biases = [...logitBias].filter(([token]) => isToken(token));
  const { maxTokens } = limits;
  const samplers = {
    biasTokens: Int32Array.from(biases, ([token]) => token),
    biasValues: Float32Array.from(biases, ([, bias]) => bias),
    forbidden: forbidden.map(({ tokens, until }) => ({
      tokens: Int32Array.from([...tokens].filter(isToken)),
      until: Math.min(until, maxTokens),
    })),
    stages: stagesOf(options, promptTokens, maxTokens),
  };
  const onDevice = deviceKindOf(samplers, limits);
  return { ...samplers, ...(onDevice !== undefined && { onDevice }) };
}

/** A greater one would wrap around to another token. */
function isToken(id: number): boolean {
  return id <= INT32_MAX;
}

function stagesOf(
  options: SamplingOptions,
  promptTokens: readonly number[],
  maxTokens: number,
): readonly SamplerStage[] {
  const { temperature, mirostat, adaptiveP, seed } = options;
  if (mirostat !== undefined) {
    const { version, tau, eta } = mirostat;
    const type = version === 1 ? "mirostat" : "mirostat-2";
    return [temperatureStage(temperature), { type, tau, eta, seed }];
  }
  const stages = options.samplers.flatMap((name) => {
    if (name === "penalties") return penaltyStages(options.penalties, promptTokens, maxTokens);
    return name === "dry"
      ? dryStages(options.dry, promptTokens, maxTokens)
      : CHOOSING[name](options);
  });
  if (isGreedy(options)) return [...stages.filter(isLookingBack), { type: "greedy" }];
  const last: SamplerStage =
    adaptiveP === undefined
      ? { type: "distribution", seed }
      : { type: "adaptive-p", ...adaptiveP, seed };
  return [...stages, last];
}

/** Whether the most likely token is taken of those that penalties have left: nothing else changes which one that is. */
function isGreedy(options: SamplingOptions): boolean {
  const { temperature, samplers, xtc, typicalP, dynamicTemperature, adaptiveP } = options;
  const place = samplers.indexOf("temperature");
  const isLast = (name: SamplerName) => samplers.indexOf(name) > place;
  const mayDropTheFirst =
    (xtc !== undefined && samplers.includes("xtc")) || (typicalP < 1 && samplers.includes("typ_p"));
  return (
    temperature === 0 &&
    place >= 0 &&
    dynamicTemperature === undefined &&
    adaptiveP === undefined &&
    !mayDropTheFirst &&
    !isLast("penalties") &&
    !isLast("dry")
  );
}

const isLookingBack = ({ type }: SamplerStage) => type === "penalties" || type === "dry";

/** What chooses among the tokens; nothing where it would leave them as they are. */
const CHOOSING: Readonly<
  Record<
    Exclude<SamplerName, "penalties" | "dry">,
    (options: SamplingOptions) => readonly SamplerStage[]
  >
> = {
  top_n_sigma: ({ topNSigma: n }) => (n > 0 ? [{ type: "top-n-sigma", n }] : []),
  top_k: ({ topK }) => (topK > 0 ? [{ type: "top-k", k: toInt32(topK) }] : []),
  typ_p: ({ typicalP: p, minKeep }) =>
    p < 1 ? [{ type: "typical-p", p, minKeep: toInt32(minKeep) }] : [],
  top_p: ({ topP: p, minKeep }) => (p < 1 ? [{ type: "top-p", p, minKeep: toInt32(minKeep) }] : []),
  min_p: ({ minP: p, minKeep }) => (p > 0 ? [{ type: "min-p", p, minKeep: toInt32(minKeep) }] : []),
  xtc: ({ xtc, minKeep, seed }) =>
    xtc ? [{ type: "xtc", ...xtc, minKeep: toInt32(minKeep), seed }] : [],
  temperature: ({ temperature, dynamicTemperature }) => [
    temperatureStage(temperature, dynamicTemperature),
  ],
};

function temperatureStage(
  temperature: number,
  { range, exponent }: NonNullable<SamplingOptions["dynamicTemperature"]> = {
    range: 0,
    exponent: 1,
  },
): SamplerStage {
  return { type: "temperature", temperature, range, exponent };
}

function penaltyStages(
  penalties: Penalties | undefined,
  promptTokens: readonly number[],
  maxTokens: number,
): readonly SamplerStage[] {
  if (penalties === undefined) return [];
  const { repetition, presence, frequency, window } = penalties;
  const history =
    window === "generated" ? NO_TOKENS : Int32Array.from(lastTokens(window, promptTokens));
  const weights = { repetition, presence, frequency };
  return [{ type: "penalties", window: windowTokens(window, maxTokens), ...weights, history }];
}

function dryStages(
  dry: DryOptions | undefined,
  promptTokens: readonly number[],
  maxTokens: number,
): readonly SamplerStage[] {
  if (dry === undefined) return [];
  const { multiplier, base, allowedLength, window, breakers } = dry;
  const encoded = [...breakers].flatMap(([token, rests]) =>
    rests.flatMap((rest) => [1 + rest.length, token, ...rest]),
  );
  return [
    {
      type: "dry",
      multiplier,
      base,
      allowedLength: toInt32(allowedLength),
      window: windowTokens(window, maxTokens),
      breakers: Int32Array.from(encoded),
      history: Int32Array.from(lastTokens(window, promptTokens)),
    },
  ];
}

/** Before the first generated token; the window may be infinite. */
function lastTokens(window: number, promptTokens: readonly number[]): readonly number[] {
  return window <= 0 ? [] : promptTokens.slice(-window);
}

function windowTokens(window: "generated" | number, maxTokens: number): number {
  return window === "generated" ? maxTokens : Math.min(window, maxTokens);
}
