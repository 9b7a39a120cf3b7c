import type { BatchMetrics } from "./live-metrics.js";

/** Shown for an unknown value. */
const NOTHING = "–";

/** 1234567 → `1,234,567` */
export function formatCount(amount: number | undefined): string {
  return amount === undefined ? NOTHING : amount.toLocaleString("en-US");
}

/** `1,000 waiting, 16 running, 200 done, 3 failed` */
export function formatLines({
  waitingLines,
  runningLines,
  doneLines,
  failedLines,
}: Omit<BatchMetrics, "batches">): string {
  const numbers = { waiting: waitingLines, running: runningLines, done: doneLines };
  return Object.entries({ ...numbers, failed: failedLines })
    .map(([state, number]) => `${formatCount(number)} ${state}`)
    .join(", ");
}

/** A rate per second, with one decimal place for small values: `0.3`, `12`. */
export function formatRate(perSecond: number | undefined): string {
  if (perSecond === undefined) return NOTHING;
  if (perSecond === 0) return "0";
  return perSecond < 9.95 ? perSecond.toFixed(1) : Math.round(perSecond).toLocaleString("en-US");
}

/** Seconds → `0.4 ms`, `24 ms`, `1.2 s`, `85 s` */
export function formatDuration(seconds: number | undefined): string {
  if (seconds === undefined) return NOTHING;
  const ms = seconds * 1000;
  if (ms < 9.95) return `${ms.toFixed(1)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  return seconds < 9.95 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds)} s`;
}

/** 0.634 → `63 %` */
export function formatPercentage(share: number | undefined): string {
  return share === undefined ? NOTHING : `${Math.round(share * 100)} %`;
}

const BYTE_UNITS = [
  ["GB", 1e9],
  ["MB", 1e6],
  ["kB", 1e3],
] as const;

/** 1910000000 → `1.9 GB` */
export function formatBytes(amount: number | undefined): string {
  if (amount === undefined) return NOTHING;
  const [unit, size] = BYTE_UNITS.find(([, threshold]) => amount >= threshold) ?? ["B", 1];
  return `${(amount / size).toFixed(unit === "GB" ? 1 : 0)} ${unit}`;
}

/** The two largest units: `3 d 4 h`, `2 h 5 min`, `40 s` */
export function formatUptime(seconds: number): string {
  const wholeSeconds = Math.max(0, Math.floor(seconds));
  const parts = [
    [Math.floor(wholeSeconds / 86_400), "d"],
    [Math.floor(wholeSeconds / 3600) % 24, "h"],
    [Math.floor(wholeSeconds / 60) % 60, "min"],
    [wholeSeconds % 60, "s"],
  ] as const;
  const first = parts.findIndex(([amount]) => amount > 0);
  if (first === -1) return "0 s";
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(" ");
}
