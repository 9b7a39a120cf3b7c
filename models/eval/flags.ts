import { parseArgs } from "node:util";
import { z } from "zod";

import { describeIssues } from "../../src/validation/describe-issues.js";
import { integerBetween, nonEmptyText } from "../../src/validation/fields.js";
import { InputError } from "../input-error.js";

/** Where the questions go; without an address to a server of our own. */
export const serverFlags = {
  "base-url": z
    .url({ protocol: /^https?$/, error: "expected an address such as http://127.0.0.1:8080/v1" })
    .transform((url) => url.replace(/\/+$/, ""))
    .optional(),
  model: nonEmptyText().default("ggufd-mini"),
};

/** The flags of `npm run eval:model`. */
export const evaluationFlags = {
  ...serverFlags,
  "per-skill": wholeNumber(1, 100_000, 100),
  clients: wholeNumber(1, 256, 8),
  json: nonEmptyText().optional(),
  failures: wholeNumber(0, 100_000, 0),
};

/**
 * The values of a script's flags, checked.
 * @throws {InputError} naming the flag, what was expected and what came.
 */
export function readFlags<const Shape extends z.ZodRawShape>(
  args: readonly string[],
  shape: Shape,
): z.output<z.ZodObject<Shape>> {
  const names = Object.keys(shape);
  const { values, positionals } = parseArgs({
    args: [...args],
    options: Object.fromEntries(names.map((name) => [name, { type: "string" } as const])),
    strict: false,
  });
  const expected = names.map((name) => `--${name}`).join(", ");
  for (const [name, value] of Object.entries(values)) {
    if (!names.includes(name)) {
      throw new InputError(`--${name}: expected one of ${expected}, got an unknown flag`);
    }
    if (typeof value !== "string" || value.startsWith("--")) {
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

function wholeNumber(min: number, max: number, initial: number) {
  return z
    .string()
    .transform((text) => (/^\d+$/.test(text) ? Number(text) : text))
    .pipe(integerBetween(min, max))
    .default(initial);
}
