import {
  compareDecimals,
  type Decimal,
  floorOfQuotient,
  isInteger,
  leastCommonMultiple,
  rescaleDigits,
} from "./decimal.js";

const ONE: Decimal = { digits: 1n, scale: 0 };

/** Limit of a range of numbers. */
export interface Bound {
  readonly value: Decimal;
  readonly isInclusive: boolean;
}

/** Numbers between two bounds. */
export interface NumberSet {
  readonly min: Bound | undefined;
  readonly max: Bound | undefined;
  /** `fractions`: numbers that are not integers. */
  readonly kind: "any" | "integers" | "fractions";
  /** Positive numbers; members of the set are multiples of all of them. */
  readonly divisors: readonly Decimal[];
}

export const ALL_NUMBERS: NumberSet = {
  min: undefined,
  max: undefined,
  kind: "any",
  divisors: [],
};

/** Creates the set of one number. */
export function buildSingleNumberSet(value: Decimal): NumberSet {
  const bound = { value, isInclusive: true };
  return { min: bound, max: bound, kind: "any", divisors: [] };
}

/** Returns the number of a set with exactly one member. */
export function soleNumber({ min, max }: NumberSet): Decimal | undefined {
  return min !== undefined && max !== undefined && compareDecimals(min.value, max.value) === 0
    ? min.value
    : undefined;
}

/** Returns the numbers in both sets; `undefined` if there are none. */
export function intersectNumbers(a: NumberSet, b: NumberSet): NumberSet | undefined {
  if (a.kind !== b.kind && a.kind !== "any" && b.kind !== "any") return undefined;
  const common: NumberSet = {
    min: selectTighter(a.min, b.min, 1),
    max: selectTighter(a.max, b.max, -1),
    kind: a.kind === "any" ? b.kind : a.kind,
    divisors: [
      ...a.divisors,
      ...b.divisors.filter((one) => !a.divisors.some((other) => isSame(one, other))),
    ],
  };
  return isPossible(common) ? common : undefined;
}

function isSame(a: Decimal, b: Decimal): boolean {
  return compareDecimals(a, b) === 0;
}

/** @param sign 1 for lower bounds, −1 for upper bounds */
function selectTighter(
  a: Bound | undefined,
  b: Bound | undefined,
  sign: 1 | -1,
): Bound | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const order = compareDecimals(a.value, b.value) * sign;
  if (order === 0) return a.isInclusive ? b : a;
  return order > 0 ? a : b;
}

/** Whether a set contains any number. */
function isPossible({ min, max, kind, divisors }: NumberSet): boolean {
  const steps = kind === "integers" ? [ONE, ...divisors] : divisors;
  const step = steps.length === 0 ? undefined : steps.reduce(leastCommonMultiple);
  if (kind === "fractions" && step !== undefined && isInteger(step)) return false;
  if (min === undefined || max === undefined) return true;
  if (step !== undefined) return hasMultiple(step, min, max, kind);
  const order = compareDecimals(min.value, max.value);
  if (order !== 0) return order < 0;
  return min.isInclusive && max.isInclusive && (kind === "any" || !isInteger(min.value));
}

/** Whether a multiple of a number lies between two bounds. */
function hasMultiple(step: Decimal, min: Bound, max: Bound, kind: NumberSet["kind"]): boolean {
  const scale = Math.max(step.scale, min.value.scale, max.value.scale);
  const [unit, low, high] = [step, min.value, max.value].map((one) => rescaleDigits(one, scale));
  if (unit === undefined || low === undefined || high === undefined) return false;
  let first = -floorOfQuotient(-low, unit) * unit;
  if (first === low && !min.isInclusive) first += unit;
  // If the step is not an integer, no two consecutive multiples are integers.
  if (kind === "fractions" && first % 10n ** BigInt(scale) === 0n) first += unit;
  return first < high || (first === high && max.isInclusive);
}

/** Returns sets whose union is the complement of a set; `undefined` if that cannot be expressed. */
export function complementNumbers(set: NumberSet): readonly NumberSet[] | undefined {
  if (set.divisors.length > 0) return undefined;
  const { min, max, kind } = set;
  return [
    ...(min === undefined
      ? []
      : [{ ...ALL_NUMBERS, max: { value: min.value, isInclusive: !min.isInclusive } }]),
    ...(max === undefined
      ? []
      : [{ ...ALL_NUMBERS, min: { value: max.value, isInclusive: !max.isInclusive } }]),
    ...(kind === "any"
      ? []
      : [{ ...ALL_NUMBERS, kind: kind === "integers" ? "fractions" : "integers" } as const]),
  ];
}
