/** Formatting of numbers for people. */
import type { Measure, Sample } from "../scenarios/scenario.js";

/**
 * Formats three significant digits, but all digits before the point; a dash for NaN and infinities.
 */
export function formatValue(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/** Name of a measure: `output`, or `flat object: output` if it has a subject. */
export function measureName({ label, subject }: Measure): string {
  return subject === undefined ? label : `${subject}: ${label}`;
}

/** Formats a share: 0.034 → `3 %`. */
export function formatShare(share: number): string {
  return Number.isFinite(share) ? `${(share * 100).toFixed(0)} %` : "–";
}

/** Formats a ratio: 1.0389 → `1.04`. */
export function formatRatio(ratio: number): string {
  return Number.isFinite(ratio) ? ratio.toFixed(2) : "–";
}

/** Formats a sample: `requests 500, server MB 81.0`. */
export function formatSample(sample: Sample): string {
  return Object.entries(sample)
    .map(([name, value]) => `${name} ${formatSampled(value)}`)
    .join(", ");
}

/** Formats one value of a sample; empty for an absent one. */
export function formatSampled(value: number | string = ""): string {
  return typeof value === "string" ? value : formatValue(value);
}
