import {
  character,
  choice,
  EMPTY,
  type GrammarNode,
  intersection,
  lexeme,
  NOTHING,
  optional,
  repeat,
  sequence,
  text,
  words,
} from "../grammar.js";
import {
  ANY_INTEGER,
  ANY_NUMBER,
  MAX_FRACTION_DIGITS,
  NATURAL,
  UNSIGNED_NUMBER,
} from "../json-text.js";
import {
  compareDecimals,
  type Decimal,
  formatDecimal,
  greatestCommonDivisor,
  isInteger,
  negate,
  roundDown,
  roundUp,
} from "./decimal.js";
import { type Bound, type NumberSet, soleNumber } from "./number-set.js";

const ZERO: Decimal = { digits: 0n, scale: 0 };
const DIGIT = character([0x30, 0x39]);
const DIGITS = repeat(DIGIT, 0);

/**
 * Builds the texts of a set of numbers, without exponents where their size matters.
 * @returns `undefined` for multiples that no such grammar describes
 */
export function numberText(set: NumberSet): GrammarNode | undefined {
  const sole = soleNumber(set);
  if (sole !== undefined) return text(formatDecimal(sole));
  if (set.kind === "integers") return integers(set);
  const steps = set.divisors.map(multiples);
  if (steps.some((step) => step === undefined)) return undefined;
  const parts = [
    range(set),
    ...steps.filter((step) => step !== undefined),
    ...(set.kind === "fractions" ? [FRACTIONS] : []),
  ];
  return parts.length === 1 && set.min === undefined && set.max === undefined
    ? ANY_NUMBER
    : lexeme(intersection(...parts));
}

/** Numbers with a digit other than 0 after the point. */
const FRACTIONS = sequence(
  optional(text("-")),
  NATURAL,
  text("."),
  DIGITS,
  character([0x31, 0x39]),
  DIGITS,
);

function integers({ min, max, divisors }: NumberSet): GrammarNode | undefined {
  const low = min && leastInteger(min);
  const high = max && -leastInteger({ value: negate(max.value), isInclusive: max.isInclusive });
  const inRange = low === undefined && high === undefined ? ANY_INTEGER : lexeme(signed(low, high));
  if (divisors.length === 0) return inRange;
  const steps: GrammarNode[] = [];
  for (const { digits, scale } of divisors) {
    // An integer that is a multiple of n/d in lowest terms is a multiple of n.
    const numerator = digits / greatestCommonDivisor(digits, 10n ** BigInt(scale));
    const whole = wholeMultiples(numerator);
    if (whole === undefined) return undefined;
    steps.push(sequence(optional(text("-")), whole));
  }
  return lexeme(intersection(signed(low, high), ...steps));
}

function leastInteger({ value, isInclusive }: Bound): bigint {
  const least = roundUp(value);
  return !isInclusive && isInteger(value) ? least + 1n : least;
}

/** Builds the integers between two inclusive limits; absent limits are infinite. */
function signed(low: bigint | undefined, high: bigint | undefined): GrammarNode {
  const negatives =
    low === undefined || low < 0n
      ? [
          sequence(
            text("-"),
            naturals(
              high === undefined || high > -1n ? 1n : -high,
              low === undefined ? undefined : -low,
            ),
          ),
        ]
      : [];
  const others =
    high === undefined || high >= 0n
      ? [naturals(low === undefined || low < 0n ? 0n : low, high)]
      : [];
  return choice(...negatives, ...others);
}

/** Builds the natural numbers between two inclusive limits. */
function naturals(low: bigint, high: bigint | undefined): GrammarNode {
  if (high !== undefined && low > high) return NOTHING;
  const lowText = String(low);
  const above =
    low === 0n
      ? NATURAL
      : choice(...ofSameLength(lowText, "9".repeat(lowText.length)), longer(lowText.length));
  if (high === undefined) return above;
  const highText = String(high);
  if (lowText.length === highText.length) return choice(...ofSameLength(lowText, highText));
  return choice(
    ...ofSameLength(lowText, "9".repeat(lowText.length)),
    ...(highText.length - lowText.length < 2
      ? []
      : [sequence(character([0x31, 0x39]), repeat(DIGIT, lowText.length, highText.length - 2))]),
    ...ofSameLength(`1${"0".repeat(highText.length - 1)}`, highText),
  );
}

/** Builds the natural numbers with more than the given number of digits. */
function longer(digits: number): GrammarNode {
  return sequence(character([0x31, 0x39]), repeat(DIGIT, digits, Math.max(digits, 199)));
}

/** Builds the digit strings between two texts of equal length. */
function ofSameLength(low: string, high: string): readonly GrammarNode[] {
  if (low === high) return [text(low)];
  const [first = "", last = ""] = [low[0], high[0]];
  if (low.length === 1) return [digitRange(first, last)];
  const [lowRest, highRest] = [low.slice(1), high.slice(1)];
  if (first === last) return [sequence(text(first), choice(...ofSameLength(lowRest, highRest)))];
  const isWholeLow = /^0+$/.test(lowRest);
  const isWholeHigh = /^9+$/.test(highRest);
  const from = isWholeLow ? first : shiftDigit(first, 1);
  const to = isWholeHigh ? last : shiftDigit(last, -1);
  return [
    ...(isWholeLow
      ? []
      : [sequence(text(first), choice(...ofSameLength(lowRest, "9".repeat(lowRest.length))))]),
    ...(from <= to
      ? [sequence(digitRange(from, to), repeat(DIGIT, lowRest.length, lowRest.length))]
      : []),
    ...(isWholeHigh
      ? []
      : [sequence(text(last), choice(...ofSameLength("0".repeat(highRest.length), highRest)))]),
  ];
}

function shiftDigit(digit: string, step: number): string {
  return String(Number(digit) + step);
}

function digitRange(first: string, last: string): GrammarNode {
  return character([first.charCodeAt(0), last.charCodeAt(0)]);
}

/** Builds the grammar of the numbers between the bounds of a set. */
function range(set: NumberSet): GrammarNode {
  const { min, max } = set;
  const plain = plainNumber(set);
  const negatives = magnitudes(
    max && { value: negate(max.value), isInclusive: max.isInclusive },
    min && { value: negate(min.value), isInclusive: min.isInclusive },
    plain,
  );
  const others = magnitudes(min, max, plain);
  return choice(
    ...(negatives === undefined ? [] : [sequence(text("-"), negatives)]),
    ...(others === undefined ? [] : [others]),
  );
}

/**
 * Builds numbers without sign or exponent, with enough decimal places to lie between the bounds of
 * a set.
 */
function plainNumber({ min, max, divisors }: NumberSet): GrammarNode {
  const values = [...divisors, ...[min, max].flatMap((bound) => (bound ? [bound.value] : []))];
  const places = Math.max(MAX_FRACTION_DIGITS, ...values.map(({ scale }) => scale + 1));
  return sequence(NATURAL, optional(sequence(text("."), repeat(DIGIT, 1, places))));
}

/** Builds the non-negative numbers between two bounds; `undefined` if there are none. */
function magnitudes(
  min: Bound | undefined,
  max: Bound | undefined,
  plainNumbers: GrammarNode,
): GrammarNode | undefined {
  if (max !== undefined) {
    const order = compareDecimals(max.value, ZERO);
    if (order < 0 || (order === 0 && !max.isInclusive)) return undefined;
  }
  const isFromZero =
    min === undefined ||
    compareDecimals(min.value, ZERO) < 0 ||
    (min.isInclusive && compareDecimals(min.value, ZERO) === 0);
  if (isFromZero && max === undefined) return UNSIGNED_NUMBER;
  const low = isFromZero ? [] : [atLeast(min)];
  const high = max === undefined ? [] : [atMost(max)];
  const plain = intersection(plainNumbers, ...low, ...high);
  const isBelowLow = isFromZero || compareDecimals(min.value, ZERO) === 0;
  const reachesOne = max === undefined || compareDecimals(max.value, ONE) >= 0;
  return choice(
    plain,
    // Small numbers as programs write them, such as `1e-05`.
    ...(isBelowLow && reachesOne ? [SMALL] : []),
    // Large numbers as programs write them, such as `1e+16`.
    ...(max === undefined && min !== undefined && compareDecimals(min.value, LEAST_LARGE) <= 0
      ? [LARGE]
      : []),
  );
}

const ONE: Decimal = { digits: 1n, scale: 0 };
const LEAST_LARGE: Decimal = { digits: 10n ** 10n, scale: 0 };
const MANTISSA = sequence(
  character([0x31, 0x39]),
  optional(sequence(text("."), repeat(DIGIT, 1, MAX_FRACTION_DIGITS))),
  words(["e", "E"]),
);
const SMALL = sequence(
  MANTISSA,
  text("-"),
  choice(
    sequence(text("0"), character([0x31, 0x39])),
    sequence(character([0x31, 0x39]), optional(DIGIT)),
    sequence(words(["1", "2"]), DIGIT, DIGIT),
  ),
);
const LARGE = sequence(MANTISSA, optional(text("+")), character([0x31, 0x39]), DIGIT);

/** Builds the numbers without sign or exponent that satisfy a lower bound of at least 0. */
function atLeast({ value, isInclusive }: Bound): GrammarNode {
  const [whole, fraction] = partsOf(value);
  return choice(
    sequence(naturals(roundDown(value) + 1n, undefined), anyFraction),
    sequence(text(whole), fractionAbove(fraction, isInclusive)),
  );
}

/** Builds the numbers without sign or exponent that satisfy an upper bound of at least 0. */
function atMost({ value, isInclusive }: Bound): GrammarNode {
  const [whole, fraction] = partsOf(value);
  const floor = roundDown(value);
  return choice(
    ...(floor === 0n ? [] : [sequence(naturals(0n, floor - 1n), anyFraction)]),
    sequence(text(whole), fractionBelow(fraction, isInclusive)),
  );
}

const anyFraction = optional(sequence(text("."), DIGITS));

function partsOf(value: Decimal): [whole: string, fraction: string] {
  const [whole = "", fraction = ""] = formatDecimal(value).split(".");
  return [whole, fraction];
}

/**
 * Builds the point and the digits of fractions that satisfy a lower bound; an absent fraction means
 * zero.
 */
function fractionAbove(fraction: string, isInclusive: boolean): GrammarNode {
  const afterPoint = sequence(text("."), digitsAbove(fraction, isInclusive));
  return fraction === "" && isInclusive ? optional(afterPoint) : afterPoint;
}

function digitsAbove(fraction: string, isInclusive: boolean): GrammarNode {
  const [first, ...rest] = fraction;
  if (first === undefined) {
    return isInclusive ? DIGITS : sequence(repeat(text("0"), 0), character([0x31, 0x39]), DIGITS);
  }
  return choice(
    ...(first === "9" ? [] : [sequence(digitRange(shiftDigit(first, 1), "9"), DIGITS)]),
    sequence(text(first), digitsAbove(rest.join(""), isInclusive)),
  );
}

/** Builds the point and the digits of fractions that satisfy an upper bound. */
function fractionBelow(fraction: string, isInclusive: boolean): GrammarNode {
  const afterPoint = sequence(text("."), digitsBelow(fraction, isInclusive));
  return fraction !== "" || isInclusive ? optional(afterPoint) : NOTHING;
}

function digitsBelow(fraction: string, isInclusive: boolean): GrammarNode {
  const [first, ...rest] = fraction;
  if (first === undefined) return isInclusive ? repeat(text("0"), 0) : NOTHING;
  const remaining = rest.join("");
  return choice(
    EMPTY,
    ...(first === "0" ? [] : [sequence(digitRange("0", shiftDigit(first, -1)), DIGITS)]),
    sequence(text(first), digitsBelow(remaining, isInclusive)),
  );
}

/** Maximum number of fractions listed for the multiples of a number below 1. */
const MAX_FRACTIONS = 1_000;

/** Maximum divisor without its trailing zeros; each remainder is a state. */
const MAX_DIVISOR = 10_000n;

/**
 * Builds the natural multiples of a number, including the empty text; `undefined` if the number is
 * too large.
 */
function wholeMultiples(divisor: bigint): GrammarNode | undefined {
  const zeros = /0*$/.exec(String(divisor))?.[0] ?? "";
  const others = divisor / 10n ** BigInt(zeros.length);
  if (others > MAX_DIVISOR) return undefined;
  const multiple: GrammarNode = { type: "multiple", divisor: Number(others) };
  return zeros === "" ? multiple : choice(text("0"), sequence(multiple, text(zeros)));
}

/** Builds the multiples of a number, of either sign, without an exponent. */
function multiples({ digits, scale }: Decimal): GrammarNode | undefined {
  const zeros = repeat(text("0"), 0);
  const sign = optional(text("-"));
  if (scale === 0) {
    const whole = wholeMultiples(digits);
    return whole && sequence(sign, whole, optional(sequence(text("."), zeros)));
  }
  if (digits === 1n) {
    return sequence(sign, DIGITS, optional(sequence(text("."), repeat(DIGIT, 0, scale), zeros)));
  }
  const unit = 10n ** BigInt(scale);
  if (unit % digits !== 0n || unit / digits > MAX_FRACTIONS) return undefined;
  const fractions = Array.from({ length: Number(unit / digits) }, (_, index) =>
    String(BigInt(index) * digits)
      .padStart(scale, "0")
      .replace(/0+$/, ""),
  );
  return sequence(sign, DIGITS, optional(sequence(text("."), words(fractions), zeros)));
}
