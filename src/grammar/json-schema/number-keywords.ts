import { UnsupportedGrammar } from "../errors.js";
import { compareDecimals, type Decimal, toDecimal } from "./decimal.js";
import { createValueError } from "./keyword-checks.js";
import { ALL_NUMBERS, type Bound, intersectNumbers, type NumberSet } from "./number-set.js";
import type { SchemaPlace } from "./schema-document.js";

type Schema = Readonly<Record<string, unknown>>;

/** Numbers whose multiples parsers can check exactly; larger ones are rounded. */
const EXACT_NUMBERS: NumberSet = {
  ...ALL_NUMBERS,
  min: { value: { digits: BigInt(Number.MIN_SAFE_INTEGER), scale: 0 }, isInclusive: true },
  max: { value: { digits: BigInt(Number.MAX_SAFE_INTEGER), scale: 0 }, isInclusive: true },
};

/**
 * Returns the numbers that a schema's keywords allow, including the Boolean `exclusiveMinimum` of
 * draft 4.
 * @throws {UnsupportedGrammar}
 */
export function parseNumberKeywords(place: SchemaPlace, schema: Schema): readonly NumberSet[] {
  const lower = parseBounds(place, schema, "minimum", "exclusiveMinimum");
  const upper = parseBounds(place, schema, "maximum", "exclusiveMaximum").map(excludeRoundedLimit);
  const step = parseDecimalKeyword(place, schema, "multipleOf");
  if (step !== undefined && step.digits <= 0n) {
    throw createValueError(place, "multipleOf", "a positive number", schema["multipleOf"]);
  }
  const sets: NumberSet[] = [
    ...lower.map((min) => ({ ...ALL_NUMBERS, min })),
    ...upper.map((max) => ({ ...ALL_NUMBERS, max })),
    ...(step === undefined ? [] : [{ ...EXACT_NUMBERS, divisors: [step] }]),
    ...parseNumberFormat(schema),
  ];
  const numbers = sets.reduce<NumberSet | undefined>(
    (common, next) => common && intersectNumbers(common, next),
    ALL_NUMBERS,
  );
  return numbers === undefined ? [] : [numbers];
}

function parseBounds(
  place: SchemaPlace,
  schema: Schema,
  inclusive: string,
  exclusive: string,
): readonly Bound[] {
  const isExclusive = schema[exclusive] === true;
  const value = parseDecimalKeyword(place, schema, inclusive);
  const exclusiveValue =
    typeof schema[exclusive] === "boolean"
      ? undefined
      : parseDecimalKeyword(place, schema, exclusive);
  return [
    ...(value === undefined ? [] : [{ value, isInclusive: !isExclusive }]),
    ...(exclusiveValue === undefined ? [] : [{ value: exclusiveValue, isInclusive: false }]),
  ];
}

/** Values to which JSON parsers round the greatest 63-bit and 64-bit integers. */
const ROUNDED_LIMITS: readonly Decimal[] = [63n, 64n].map((bits) => ({
  digits: 2n ** bits,
  scale: 0,
}));

/**
 * Makes a limit of exactly 2^63 or 2^64 exclusive: it was the greatest integer of its size before
 * it was parsed.
 */
function excludeRoundedLimit(bound: Bound): Bound {
  const isRounded = ROUNDED_LIMITS.some((limit) => compareDecimals(limit, bound.value) === 0);
  return isRounded ? { ...bound, isInclusive: false } : bound;
}

function parseDecimalKeyword(
  place: SchemaPlace,
  schema: Schema,
  keyword: string,
): Decimal | undefined {
  const value = schema[keyword];
  if (value === undefined) return undefined;
  if (typeof value !== "number") throw createValueError(place, keyword, "a number", value);
  const decimal = toDecimal(value);
  if (decimal === undefined) {
    throw new UnsupportedGrammar(
      [...place.path, keyword],
      `expected a number that is representable, got ${value}`,
    );
  }
  return decimal;
}

/** Returns the range of OpenAPI's number formats. */
function parseNumberFormat({ format }: Schema): readonly NumberSet[] {
  if (format !== "int32" && format !== "int64") return [];
  const limit = 2n ** (format === "int32" ? 31n : 63n);
  return [
    {
      ...ALL_NUMBERS,
      min: { value: { digits: -limit, scale: 0 }, isInclusive: true },
      max: { value: { digits: limit, scale: 0 }, isInclusive: false },
    },
  ];
}
