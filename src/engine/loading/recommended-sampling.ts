import { findSampler, type NamedSampler } from "../../core/samplers.js";
import {
  type SamplingDefaults,
  type SamplingRow,
  samplingRows,
} from "../../core/sampling-table.js";

/**
 * Reads the sampling parameters that a GGUF file recommends. Values out of bounds are ignored.
 * Source: llama.cpp, `common_init_sampler_from_model` in `common/common.cpp`; the keys are in
 * `src/llama-arch.cpp`.
 * @param section the metadata under `general.sampling`
 */
export function readRecommendedSampling(section: unknown): SamplingDefaults {
  const values: Readonly<Record<string, unknown>> =
    typeof section === "object" && section !== null ? { ...section } : {};
  const entries = samplingRows.flatMap((row) => {
    const value = row.gguf === undefined ? undefined : readValue(values[row.gguf], row);
    return value === undefined ? [] : [[row.name, value]];
  });
  return Object.fromEntries(entries);
}

function readValue(value: unknown, { kind, min, max }: SamplingRow) {
  switch (kind) {
    case "number":
    case "integer":
      return readNumber(value, min, max);
    case "window":
      return readNumber(value, -1);
    case "mirostat":
      return [0, 1, 2].find((known) => known === readNumber(value));
    case "samplers":
      return readSequence(value);
    case "breakers":
      return undefined;
  }
}

function readNumber(
  value: unknown,
  min = Number.NEGATIVE_INFINITY,
  max = Number.POSITIVE_INFINITY,
): number | undefined {
  const numericValue = typeof value === "bigint" ? Number(value) : value;
  return typeof numericValue === "number" && numericValue >= min && numericValue <= max
    ? roundToFloatDigits(numericValue)
    : undefined;
}

/** Significant digits of a 32-bit float; files store 0.9 as 0.8999999761581421. */
const DIGITS = 7;

function roundToFloatDigits(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(DIGITS));
}

/** Parses names separated by semicolons. Like llama.cpp, ignores unknown ones. */
function readSequence(sequence: unknown): readonly NamedSampler[] | undefined {
  if (typeof sequence !== "string") return undefined;
  const samplers = sequence.split(";").flatMap((name) => findSampler(name.trim()) ?? []);
  return samplers.length === 0 ? undefined : [...new Set(samplers)];
}
