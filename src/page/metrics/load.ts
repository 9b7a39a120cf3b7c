import type { ModelMetrics } from "../../live-metrics/live-metrics.js";

/** Load of all models together. Values that no model has are `undefined`. */
export interface Load {
  readonly running: number | undefined;
  readonly slots: number | undefined;
  readonly waiting: number | undefined;
  readonly generatedTokensPerSecond: number | undefined;
  readonly promptTokensPerSecond: number | undefined;
  /** 0–1, as a share of the prompt tokens of all models. */
  readonly cacheHitRate: number | undefined;
}

export function computeLoad(models: readonly ModelMetrics[]): Load {
  const total = (read: (model: ModelMetrics) => number | undefined) => {
    const known = models.map(read).filter((value) => value !== undefined);
    return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0);
  };
  const queried = models.filter(({ cacheHitRate }) => cacheHitRate !== undefined);
  const weightOf = ({ promptTokensPerSecond = 0 }: ModelMetrics) => promptTokensPerSecond;
  const weight = queried.reduce((sum, model) => sum + weightOf(model), 0);
  const [only] = queried;
  return {
    running: total(({ running }) => running),
    slots: total(({ slots }) => slots),
    waiting: total(({ waiting }) => waiting),
    generatedTokensPerSecond: total((model) => model.generatedTokensPerSecond),
    promptTokensPerSecond: total((model) => model.promptTokensPerSecond),
    cacheHitRate:
      weight === 0
        ? only?.cacheHitRate
        : queried.reduce(
            (sum, model) => sum + ((model.cacheHitRate ?? 0) * weightOf(model)) / weight,
            0,
          ),
  };
}
