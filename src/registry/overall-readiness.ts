import type { Readiness } from "../core/model-directory.js";

/** The readiness of a server by that of its models: ready is one whose models all are. */
export function overallReadiness(models: readonly Readiness[]): Readiness {
  const progress = models.map((one) => (one.state === "loading" ? one.progress : 1));
  if (models.some(({ state }) => state === "loading")) {
    return { state: "loading", progress: sumOf(progress) / models.length };
  }
  return models.find(({ state }) => state !== "ready") ?? { state: "ready" };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
