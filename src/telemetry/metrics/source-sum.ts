import type { Registry } from "prom-client";

/** Selects the samples of a metric. */
export interface SampleFilter {
  /** Part of a histogram. */
  readonly suffix?: "_sum" | "_count";
  /** Label values that the samples have. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Sums one of ggufd's metrics, named without its prefix, over all models. */
export type SourceSum = (metric: string, filter?: SampleFilter) => Promise<number>;

/** Derives metrics under other programs' names from ggufd's, which a registry collects. */
export function createSourceSum(registry: Registry): SourceSum {
  return async (metric, { suffix, labels = {} } = {}) => {
    const name = `ggufd:${metric}`;
    const { values } = (await registry.getSingleMetric(name)?.get()) ?? { values: [] };
    return values
      .filter(
        (one) => suffix === undefined || ("metricName" in one && one.metricName === name + suffix),
      )
      .filter((one) =>
        Object.entries(labels).every(([label, value]) => one.labels[label] === value),
      )
      .reduce((total, { value }) => total + value, 0);
  };
}
