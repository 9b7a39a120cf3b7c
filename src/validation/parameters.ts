/**
 * Schemas of query parameters: text that stands for a value. One that is given twice is a list, and
 * refused. `override` is how a description shows the value (zod-openapi).
 */
import { z } from "zod";
import { integerBetween } from "./fields.js";

/** Any text. */
export function textParameter() {
  return z.string({ error: "expected one value" });
}

/** Text with at least one character. */
export function nonEmptyParameter() {
  return textParameter().min(1, { error: "expected at least one character" });
}

/** Decimal digits that make an integer of a closed range of positive numbers. */
export function integerParameter(min: number, max: number) {
  const error = `expected an integer from ${min} to ${max}`;
  return z
    .string({ error })
    .regex(/^\d+$/, { error })
    .meta({ override: { type: "integer", pattern: undefined, minimum: min, maximum: max } })
    .transform(Number)
    .pipe(integerBetween(min, max));
}

/** `true` or `false`. */
export function booleanParameter() {
  return z
    .enum(["true", "false"], { error: "expected true or false" })
    .meta({ override: { type: "boolean", enum: undefined } })
    .transform((word) => word === "true");
}
