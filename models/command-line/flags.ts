import { parseArgs } from "node:util";
import { z } from "zod";

import { describeIssues } from "../../src/validation/describe-issues.js";
import { integerBetween, numberBetween, oneOf } from "../../src/validation/fields.js";
import { InputError } from "./input-error.js";

/** A flag whose value is an integer of a closed range. */
export function wholeNumber(min: number, max: number) {
  return z
    .string()
    .transform((text) => (/^\d+$/.test(text) ? Number(text) : text))
    .pipe(integerBetween(min, max));
}

/** A flag whose value is a decimal number of a closed range. */
export function decimal(min: number, max: number) {
  return z
    .string()
    .transform((text) => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : text))
    .pipe(numberBetween(min, max));
}

/** A flag whose value is a name that a table has. */
export function nameIn<Table extends object>(table: Table) {
  return oneOf(Object.keys(table) as [keyof Table & string]);
}

/** A flag that stands alone. */
export function onOff() {
  return z.boolean({ error: "expected no value" }).default(false);
}

/**
 * The values of a script's flags, checked. A flag whose schema takes `true` stands alone.
 * @throws {InputError} naming the flag, what was expected and what came.
 */
export function readFlags<const Shape extends z.ZodRawShape>(
  args: readonly string[],
  shape: Shape,
): z.output<z.ZodObject<Shape>> {
  const names = Object.keys(shape);
  const alone = new Set(
    names.filter((name) => z.safeParse(shape[name] ?? z.never(), true).success),
  );
  const { values, positionals } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      names.map((name) => [name, { type: alone.has(name) ? "boolean" : "string" } as const]),
    ),
    strict: false,
  });
  const expected = names.map((name) => `--${name}`).join(", ");
  for (const [name, value] of Object.entries(values)) {
    if (!names.includes(name)) {
      throw new InputError(`--${name}: expected one of ${expected}, got an unknown flag`);
    }
    if (!alone.has(name) && (typeof value !== "string" || value.startsWith("--"))) {
      const came = typeof value === "string" ? value : "nothing";
      throw new InputError(`--${name}: expected a value, got ${came}`);
    }
  }
  const [stray] = positionals;
  if (stray !== undefined) {
    throw new InputError(`${JSON.stringify(stray)}: expected one of ${expected} before it`);
  }
  const result = z.object(shape).safeParse(values);
  if (result.success) return result.data;
  const [issue] = describeIssues(result.error, values);
  throw new InputError(`--${issue?.field}: ${issue?.reason}`);
}
