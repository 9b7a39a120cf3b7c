/**
 * Schemas of query parameters and form fields: strings that encode a value. A repeated parameter is
 * an array and is rejected. `override` is the JSON schema of the value in the OpenAPI description
 * (zod-openapi).
 */
import { z } from "zod";
import { integerBetween, numberBetween } from "./fields.js";

export function textParameter() {
  return z.string({ error: "expected one value" });
}

export function nonEmptyParameter() {
  return textParameter().min(1, { error: "expected at least one character" });
}

/** Decimal digits of an integer in a closed range of non-negative numbers. */
export function integerParameter(min: number, max: number) {
  const error = `expected an integer from ${min} to ${max}`;
  return z
    .string({ error })
    .regex(/^\d+$/, { error })
    .meta({ override: { type: "integer", pattern: undefined, minimum: min, maximum: max } })
    .transform(Number)
    .pipe(integerBetween(min, max));
}

/** A decimal number in a closed range, with an exponent or without. */
export function numberParameter(min: number, max: number) {
  const error = `expected a number from ${min} to ${max}`;
  return z
    .string({ error })
    .regex(/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i, { error })
    .meta({ override: { type: "number", pattern: undefined, minimum: min, maximum: max } })
    .transform(Number)
    .pipe(numberBetween(min, max));
}

export function booleanParameter() {
  return z
    .enum(["true", "false"], { error: "expected true or false" })
    .meta({ override: { type: "boolean", enum: undefined } })
    .transform((word) => word === "true");
}
