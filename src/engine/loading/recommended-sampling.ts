import type { SamplingDefaults } from "../../core/generation-request.js";
import { type NamedSampler, samplerNamed } from "../../core/samplers.js";

/** A number, and what it has to be between: others are as if they were not there. */
interface Range {
  readonly min: number;
  readonly max: number;
}

const unbounded = Number.POSITIVE_INFINITY;
const share: Range = { min: 0, max: 1 };
const positive: Range = { min: 0, max: unbounded };

/**
 * The sampling that a GGUF file recommends.
 * Source: llama.cpp, `common_init_sampler_from_model` in `common/common.cpp`; the keys are in `src/llama-arch.cpp`.
 * @param section the metadata under `general.sampling`
 */
export function readRecommendedSampling(section: unknown): SamplingDefaults {
  const values: Readonly<Record<string, unknown>> =
    typeof section === "object" && section !== null ? { ...section } : {};
  const number = (key: string, { min, max }: Range): number | undefined => {
    const value = values[key];
    const read = typeof value === "bigint" ? Number(value) : value;
    const isSound = typeof read === "number" && read >= min && read <= max;
    return isSound ? asWritten(read) : undefined;
  };
  const topK = number("top_k", { min: -unbounded, max: unbounded });
  const window = number("penalty_last_n", { min: -1, max: unbounded });
  const version = number("mirostat", { min: 0, max: 2 });
  return given({
    temperature: number("temp", positive),
    topK: topK === undefined ? undefined : Math.max(topK, 0),
    topP: number("top_p", share),
    minP: number("min_p", share),
    repetitionPenalty: number("penalty_repeat", { min: Number.MIN_VALUE, max: unbounded }),
    penaltyWindow: window === -1 ? unbounded : window,
    xtc: group({
      probability: number("xtc_probability", share),
      threshold: number("xtc_threshold", share),
    }),
    mirostat: group({
      version: ([0, 1, 2] as const).find((known) => known === version),
      tau: number("mirostat_tau", positive),
      eta: number("mirostat_eta", positive),
    }),
    samplers: readSequence(values.sequence),
  });
}

/** The digits that a number of 32 bits surely has: 0.9 is in files as 0.8999999761581421. */
const DIGITS = 7;

function asWritten(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(DIGITS));
}

/** Names with semicolons between them, of which llama.cpp leaves out those that it does not know. */
function readSequence(sequence: unknown): readonly NamedSampler[] | undefined {
  if (typeof sequence !== "string") return undefined;
  const samplers = sequence.split(";").flatMap((name) => samplerNamed(name.trim()) ?? []);
  return samplers.length === 0 ? undefined : [...new Set(samplers)];
}

function group<Fields extends object>(fields: Fields): Fields | undefined {
  return Object.values(fields).some((value) => value !== undefined) ? fields : undefined;
}

function given(fields: SamplingDefaults): SamplingDefaults {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
