import assert from "node:assert/strict";

/** Exact decimal number: `digits` × 10^−`scale`. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/** Maximum number of digits before or after the decimal point. */
const MAX_SCALE = 400;

/**
 * Converts a number to the decimal that its shortest text denotes. Unsafe integers are converted
 * exactly, since the trailing zeros of their shortest texts stand for other digits.
 * @returns `undefined` if the number is not finite, or too long
 */
export function toDecimal(value: number): Decimal | undefined {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER && Number.isInteger(value)) {
    return { digits: BigInt(value), scale: 0 };
  }
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(String(value)) ?? [];
  if (whole === "") return undefined;
  const scale = fraction.length - Number(exponent);
  if (Math.abs(scale) > MAX_SCALE) return undefined;
  const digits = BigInt(`${sign}${whole}${fraction}`);
  return scale >= 0
    ? normalise({ digits, scale })
    : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

function normalise({ digits, scale }: Decimal): Decimal {
  let [reduced, places] = [digits, scale];
  while (places > 0 && reduced % 10n === 0n) {
    reduced /= 10n;
    places--;
  }
  return { digits: reduced, scale: places };
}

/**
 * Returns a negative number, zero or a positive number, as `a` is less than, equal to or greater
 * than `b`.
 */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale);
  const difference = rescaleDigits(a, scale) - rescaleDigits(b, scale);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/**
 * Returns the digits of a number with `targetScale` places after the point, which must be at least
 * its `scale`.
 */
export function rescaleDigits({ digits, scale }: Decimal, targetScale: number): bigint {
  assert(targetScale >= scale, `${scale} decimal places exceed ${targetScale}`);
  return digits * 10n ** BigInt(targetScale - scale);
}

/** Returns the least common multiple of two positive numbers. */
export function leastCommonMultiple(a: Decimal, b: Decimal): Decimal {
  assert(a.digits > 0n && b.digits > 0n, "expected positive numbers");
  const scale = Math.max(a.scale, b.scale);
  const [one, other] = [rescaleDigits(a, scale), rescaleDigits(b, scale)];
  return normalise({ digits: (one / greatestCommonDivisor(one, other)) * other, scale });
}

export function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestCommonDivisor(b, a % b);
}

export function negate({ digits, scale }: Decimal): Decimal {
  return { digits: -digits, scale };
}

export function isInteger({ scale }: Decimal): boolean {
  return scale === 0;
}

/** Returns the greatest integer less than or equal to a number. */
export function roundDown({ digits, scale }: Decimal): bigint {
  return floorOfQuotient(digits, 10n ** BigInt(scale));
}

/** @param divisor positive */
export function floorOfQuotient(dividend: bigint, divisor: bigint): bigint {
  assert(divisor > 0n, "expected a positive divisor");
  const quotient = dividend / divisor;
  return dividend < 0n && dividend % divisor !== 0n ? quotient - 1n : quotient;
}

/** Returns the least integer greater than or equal to a number. */
export function roundUp(decimal: Decimal): bigint {
  return -roundDown(negate(decimal));
}

/** Formats a number without an exponent: `-12.5`. */
export function formatDecimal({ digits, scale }: Decimal): string {
  const sign = digits < 0n ? "-" : "";
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, "0");
  return scale === 0 ? `${sign}${text}` : `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}
