import { parseArgs } from "node:util";
import { z } from "zod";

import { describeIssues } from "../../src/validation/describe-issues.js";
import { integerBetween, numberBetween, oneOf } from "../../src/validation/fields.js";
import { InputError } from "./input-error.js";

/** A flag whose value is an integer in a closed range. */
export function integerFlag(min: number, max: number) {
  return z
    .string()
    .transform((text) => (/^\d+$/.test(text) ? Number(text) : text))
    .pipe(integerBetween(min, max));
}

/** A flag whose value is a decimal number in a closed range. */
export function decimalFlag(min: number, max: number) {
  return z
    .string()
    .transform((text) => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : text))
    .pipe(numberBetween(min, max));
}

/** A flag whose value is a key of a table. */
export function keyFlag<Table extends object>(table: Table) {
  return oneOf(Object.keys(table) as [keyof Table & string]);
}

/** A flag without a value. */
export function switchFlag() {
  return z.boolean({ error: "expected no value" }).default(false);
}

/**
 * Parses and validates a script's flags. A flag whose schema accepts `true` takes no value.
 * @throws {InputError} naming the flag, what was expected and what was received.
 */
export function readFlags<const Shape extends z.ZodRawShape>(
  args: readonly string[],
  shape: Shape,
): z.output<z.ZodObject<Shape>> {
  const names = Object.keys(shape);
  const switches = new Set(
    names.filter((name) => z.safeParse(shape[name] ?? z.never(), true).success),
  );
  const { values, positionals } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      names.map((name) => [name, { type: switches.has(name) ? "boolean" : "string" } as const]),
    ),
    strict: false,
  });
  const expected = names.map((name) => `--${name}`).join(", ");
  for (const [name, value] of Object.entries(values)) {
    if (!names.includes(name)) {
      throw new InputError(`--${name}: expected one of ${expected}, got an unknown flag`);
    }
    if (!switches.has(name) && (typeof value !== "string" || value.startsWith("--"))) {
      const received = typeof value === "string" ? value : "nothing";
      throw new InputError(`--${name}: expected a value, got ${received}`);
    }
  }
  const [unexpected] = positionals;
  if (unexpected !== undefined) {
    throw new InputError(`${JSON.stringify(unexpected)}: expected one of ${expected} before it`);
  }
  const result = z.object(shape).safeParse(values);
  if (result.success) return result.data;
  const [issue] = describeIssues(result.error, values);
  throw new InputError(`--${issue?.field}: ${issue?.reason}`);
}
