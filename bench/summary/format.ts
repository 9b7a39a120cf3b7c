/** Formats numbers for people. */
import type { Measure, Sample } from "../scenarios/scenario.js";

/** Three significant digits, but all digits before the point; a dash for NaN and infinities. */
export function formatValue(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/** What a measure is about: `output`, or `flat object: output` where it has a subject. */
export function measureName({ label, subject }: Measure): string {
  return subject === undefined ? label : `${subject}: ${label}`;
}

/** 0.034 → `3 %` */
export function formatShare(share: number): string {
  return Number.isFinite(share) ? `${(share * 100).toFixed(0)} %` : "–";
}

/** 1.0389 → `1.04` */
export function formatRatio(ratio: number): string {
  return Number.isFinite(ratio) ? ratio.toFixed(2) : "–";
}

/** `requests 500, server MB 81.0` */
export function formatSample(sample: Sample): string {
  return Object.entries(sample)
    .map(([name, value]) => `${name} ${formatSampled(value)}`)
    .join(", ");
}

/** One value of a sample; nothing for an absent one. */
export function formatSampled(value: number | string = ""): string {
  return typeof value === "string" ? value : formatValue(value);
}
