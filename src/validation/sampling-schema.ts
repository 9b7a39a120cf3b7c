import { z } from "zod";
import type { SamplingRow } from "../core/sampling-table.js";
import { boundedArray } from "./bounded-collections.js";
import { integerBetween, numberBetween } from "./fields.js";

const UNBOUNDED = Number.POSITIVE_INFINITY;

/** Limited because every breaker is searched for in the whole vocabulary. */
const MAX_SEQUENCE_BREAKERS = 16;

/** The length at which llama.cpp truncates breakers, in characters. */
const MAX_BREAKER_LENGTH = 40;

const breakerError = `expected a string of 1 to ${MAX_BREAKER_LENGTH} characters`;

/**
 * Builds the schema of a parameter's values, except for samplers, whose form differs between
 * interfaces. Each call creates a new schema, because a description belongs to a single field.
 */
export function samplingValue({ kind, min = -UNBOUNDED, max = UNBOUNDED }: SamplingRow): z.ZodType {
  switch (kind) {
    case "number":
      return numberBetween(min, max);
    case "integer":
      return integerBetween(min, max);
    case "window":
      return integerBetween(-1, UNBOUNDED);
    case "mirostat":
      return z.literal([0, 1, 2], { error: "expected 0, 1 or 2" });
    case "breakers":
      return buildBreakersSchema();
    case "samplers":
      throw new TypeError("each API defines its own format of samplers");
  }
}

function buildBreakersSchema() {
  const breaker = z
    .string({ error: breakerError })
    .min(1, { error: breakerError })
    .max(MAX_BREAKER_LENGTH, { error: breakerError });
  return boundedArray(z.array(breaker, { error: "expected an array of strings" }), {
    max: MAX_SEQUENCE_BREAKERS,
    of: "sequence breakers",
  });
}

/** Describes a parameter and its default as a sentence for API descriptions. */
export function describeSampling(row: SamplingRow): string {
  const text = `${row.help.charAt(0).toUpperCase()}${row.help.slice(1)}.`;
  return typeof row.default === "number"
    ? `${text} Default: the model's, else ${row.default}.`
    : text;
}
