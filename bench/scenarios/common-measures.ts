/** Measures shared by several scenarios. */
import type { Measure } from "./scenario.js";

export const outputRateMeasure: Measure = { label: "output", unit: "tok/s", better: "higher" };
export const wallMeasure: Measure = { label: "wall time", unit: "s", better: "lower" };
export const ttftP50Measure: Measure = { label: "TTFT p50", unit: "ms", better: "lower" };
export const ttftP99Measure: Measure = { label: "TTFT p99", unit: "ms", better: "lower" };
export const itlP50Measure: Measure = { label: "ITL p50", unit: "ms", better: "lower" };
export const itlP99Measure: Measure = { label: "ITL p99", unit: "ms", better: "lower" };
export const evaluatedMeasure: Measure = {
  label: "prompt evaluated",
  unit: "tok",
  better: "lower",
};

/**
 * Small budget for saved states, which fills up early, so that later memory growth is not due to
 * the prefix cache. The default budget is up to a gibibyte.
 */
export const smallCacheFlags: readonly string[] = ["--cache-ram", "16"];
