import type { SamplerName } from "../../core/samplers.js";
import { type StageSampler, samplingRows } from "../../core/sampling-table.js";
import {
  type Penalties,
  type SamplingOptions,
  toWindowTokens,
} from "../sampling/sampling-options.js";
import type { SamplerDescription, SamplerStage } from "./companion/native-companion.js";
import { describeDeviceSamplers, type SamplerLimits } from "./device-stages.js";
import type { SamplingContext } from "./token-context.js";

const NO_TOKENS = new Int32Array();

/** llama.cpp stores token counts and ids as 32-bit integers. */
const INT32_MAX = 2 ** 31 - 1;

const toInt32 = (count: number) => Math.min(count, INT32_MAX);

/**
 * Describes the native samplers of a generation, arranged as in llama.cpp's programs
 * (`common_sampler_init`).
 */
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
    stages: buildStages(options, promptTokens, maxTokens),
  };
  const onDevice = describeDeviceSamplers(samplers, limits);
  return { ...samplers, ...(onDevice !== undefined && { onDevice }) };
}

/** Whether llama.cpp can store an id; a greater one would wrap around to another token. */
function isToken(id: number): boolean {
  return id <= INT32_MAX;
}

function buildStages(
  options: SamplingOptions,
  promptTokens: readonly number[],
  maxTokens: number,
): readonly SamplerStage[] {
  const { temperature, mirostat, samplers, seed } = options;
  if (mirostat !== 0) {
    const type = mirostat === 1 ? "mirostat" : "mirostat-2";
    return [
      { type: "temperature", temperature, range: 0, exponent: 1 },
      { type, ...readArguments("mirostat", options), seed } as SamplerStage,
    ];
  }
  const stages = samplers.flatMap((name) => {
    if (name === "adaptive_p") return [];
    if (name === "penalties") return buildPenaltyStages(options.penalties, promptTokens, maxTokens);
    return name === "dry"
      ? buildDryStages(options, promptTokens, maxTokens)
      : buildPlainStages(name, options);
  });
  if (isGreedy(options)) return [...stages.filter(readsHistory), { type: "greedy" }];
  const last = samplers.includes("adaptive_p")
    ? ({ type: "adaptive-p", ...readArguments("adaptive_p", options), seed } as SamplerStage)
    : ({ type: "distribution", seed } as const);
  return [...stages, last];
}

/**
 * Returns whether the most likely token after penalties is always taken: no other sampler changes
 * which one that is.
 */
function isGreedy(options: SamplingOptions): boolean {
  const { temperature, samplers, dynatempRange } = options;
  const temperatureIndex = samplers.indexOf("temperature");
  const isAfterTemperature = (name: SamplerName) => samplers.indexOf(name) > temperatureIndex;
  const mayDropMostLikely = (["xtc", "typ_p"] as const).some(
    (name) => samplers.includes(name) && !isOff(name, options),
  );
  return (
    temperature === 0 &&
    temperatureIndex >= 0 &&
    dynatempRange <= 0 &&
    !samplers.includes("adaptive_p") &&
    !mayDropMostLikely &&
    !isAfterTemperature("penalties") &&
    !isAfterTemperature("dry")
  );
}

const readsHistory = ({ type }: SamplerStage) => type === "penalties" || type === "dry";

/** Returns the native sampler's arguments that are request parameters, with their rows. */
function findArgumentRows(sampler: StageSampler) {
  return samplingRows.flatMap((row) =>
    (row.stages ?? []).flatMap(([of, argument]) => (of === sampler ? [{ argument, row }] : [])),
  );
}

/** llama.cpp's sampler names that differ from those in requests. */
const stageTypes: Readonly<Partial<Record<StageSampler, string>>> = { typ_p: "typical-p" };

/** Returns a sampler whose arguments are request parameters; nothing if it has no effect. */
function buildPlainStages(
  sampler: StageSampler,
  options: SamplingOptions,
): readonly SamplerStage[] {
  if (isOff(sampler, options)) return [];
  const type = stageTypes[sampler] ?? sampler.replaceAll("_", "-");
  // XTC draws its own random numbers.
  const seed = sampler === "xtc" && { seed: options.seed };
  return [{ type, ...readArguments(sampler, options), ...seed } as SamplerStage];
}

function isOff(sampler: StageSampler, options: SamplingOptions): boolean {
  return findArgumentRows(sampler).some(
    ({ row }) => row.isOff?.(options[row.name] as number) ?? false,
  );
}

function readArguments(
  sampler: StageSampler,
  options: SamplingOptions,
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    findArgumentRows(sampler).map(({ argument, row }) => {
      const value = options[row.name] as number;
      return [argument, row.kind === "integer" ? toInt32(value) : value];
    }),
  );
}

function buildPenaltyStages(
  penalties: Penalties | undefined,
  promptTokens: readonly number[],
  maxTokens: number,
): readonly SamplerStage[] {
  if (penalties === undefined) return [];
  const { repetition, presence, frequency, window } = penalties;
  const history =
    window === "generated" ? NO_TOKENS : Int32Array.from(selectLastTokens(window, promptTokens));
  const weights = { repetition, presence, frequency };
  const tokens = window === "generated" ? maxTokens : Math.min(window, maxTokens);
  return [{ type: "penalties", window: tokens, ...weights, history }];
}

function buildDryStages(
  options: SamplingOptions,
  promptTokens: readonly number[],
  maxTokens: number,
): readonly SamplerStage[] {
  const { breakers } = options;
  if (breakers === undefined) return [];
  const window = toWindowTokens(options.dryPenaltyLastN);
  const encodedBreakers = [...breakers].flatMap(([token, rests]) =>
    rests.flatMap((rest) => [1 + rest.length, token, ...rest]),
  );
  return [
    {
      type: "dry",
      multiplier: options.dryMultiplier,
      base: options.dryBase,
      allowedLength: toInt32(options.dryAllowedLength),
      window: Math.min(window, maxTokens),
      breakers: Int32Array.from(encodedBreakers),
      history: Int32Array.from(selectLastTokens(window, promptTokens)),
    },
  ];
}

/** Returns the last tokens of the prompt within a window, which may be infinite. */
function selectLastTokens(window: number, promptTokens: readonly number[]): readonly number[] {
  return window <= 0 ? [] : promptTokens.slice(-window);
}
