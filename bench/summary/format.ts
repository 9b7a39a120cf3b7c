/** Formats numbers for people. */

/** Three significant digits, but all digits before the point; a dash for NaN and infinities. */
export function formatValue(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/** 0.034 → `3 %` */
export function formatShare(share: number): string {
  return Number.isFinite(share) ? `${(share * 100).toFixed(0)} %` : "–";
}

/** 1.0389 → `1.04` */
export function formatRatio(ratio: number): string {
  return Number.isFinite(ratio) ? ratio.toFixed(2) : "–";
}
