import type { Readiness } from "../core/model-directory.js";
import { sumOf } from "../core/sum-of.js";

/** The readiness of a server by that of its models: ready is one whose models all are. */
export function overallReadiness(models: readonly Readiness[]): Readiness {
  if (models.some(({ state }) => state === "loading")) {
    const progress = sumOf(models, (one) => (one.state === "loading" ? one.progress : 1));
    return { state: "loading", progress: progress / models.length };
  }
  return models.find(({ state }) => state !== "ready") ?? { state: "ready" };
}
