/** Schemas whose errors state what was expected; {@link describeIssues} adds what was received. */
import assert from "node:assert/strict";
import { z } from "zod";

/** A number in a closed range; bounds may be infinite. */
export function numberBetween(min: number, max: number) {
  const error = `expected a number ${describeRange(min, max)}`;
  const number = z.number({ error });
  // JSON Schema has no infinite bounds.
  const fromMin = min === Number.NEGATIVE_INFINITY ? number : number.min(min, { error });
  return max === Number.POSITIVE_INFINITY ? fromMin : fromMin.max(max, { error });
}

/** A safe integer in a closed range; bounds may be infinite. */
export function integerBetween(min: number, max: number) {
  assert(min <= max, `expected a range, got ${min} to ${max}`);
  const error = `expected an integer ${describeRange(min, max)}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

export function text() {
  return z.string({ error: "expected a string" });
}

export function nonEmptyText() {
  const error = "expected a non-empty string";
  return z.string({ error }).min(1, { error });
}

export function trueOrFalse() {
  return z.boolean({ error: "expected true or false" });
}

/** One of a fixed set of strings. */
export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, { error: `expected one of ${words.join(", ")}` });
}

function describeRange(min: number, max: number): string {
  if (max === Number.POSITIVE_INFINITY) {
    return min === Number.NEGATIVE_INFINITY ? "of any size" : `of at least ${min}`;
  }
  return min === Number.NEGATIVE_INFINITY ? `of at most ${max}` : `from ${min} to ${max}`;
}
