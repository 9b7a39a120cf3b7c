import type { Sample } from "./prometheus-text.js";

/** One reading of a server's metrics. */
export interface Scrape {
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly samples: readonly Sample[];
}

/** Value of the first series with the given name. */
export function gaugeOf(samples: readonly Sample[], name: string): number | undefined {
  return samples.find((sample) => sample.name === name)?.value;
}

/** Sum of all series with the given name; `undefined`: there is none. */
export function sumSamples(samples: readonly Sample[], name: string): number | undefined {
  const series = samples.filter((sample) => sample.name === name);
  return series.length === 0 ? undefined : series.reduce((sum, { value }) => sum + value, 0);
}

/**
 * Total growth of the counters with the given name since an earlier reading. A counter that has
 * decreased was reset to 0 in between.
 * @returns `undefined` without such a counter or an earlier reading
 */
export function computeGrowth(
  earlier: readonly Sample[] | undefined,
  later: readonly Sample[],
  name: string,
): number | undefined {
  const series = later.filter((sample) => sample.name === name);
  if (earlier === undefined || series.length === 0) return undefined;
  const earlierValues = new Map(
    earlier
      .filter((sample) => sample.name === name)
      .map((sample) => [toSeriesKey(sample), sample.value]),
  );
  return series.reduce((sum, sample) => {
    const last = earlierValues.get(toSeriesKey(sample)) ?? 0;
    return sum + (sample.value < last ? sample.value : sample.value - last);
  }, 0);
}

function toSeriesKey({ labels }: Sample): string {
  return JSON.stringify(
    Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}

/** A bucket of a histogram. */
export interface Bucket {
  /** Upper bound; `Infinity` for the last bucket. */
  readonly upTo: number;
  /** Cumulative count, including the lower buckets. */
  readonly count: number;
}

/** Distribution of observed values, in ascending buckets. */
export type Histogram = readonly Bucket[];

/**
 * Builds a histogram from its samples, summing those with equal bounds.
 * @param name metric name without `_bucket`
 */
export function buildHistogram(samples: readonly Sample[], name: string): Histogram {
  const countByBound = new Map<number, number>();
  for (const sample of samples) {
    if (sample.name !== `${name}_bucket` || sample.labels.le === undefined) continue;
    const upTo = sample.labels.le === "+Inf" ? Infinity : Number(sample.labels.le);
    countByBound.set(upTo, (countByBound.get(upTo) ?? 0) + sample.value);
  }
  return [...countByBound]
    .map(([upTo, count]) => ({ upTo, count }))
    .toSorted((one, other) => one.upTo - other.upTo);
}

/**
 * Observations since an earlier reading; all observations if the counters were reset in between.
 */
export function subtractHistogram(earlier: Histogram, later: Histogram): Histogram {
  if (countObservations(later) < countObservations(earlier)) return later;
  const earlierCounts = new Map(earlier.map(({ upTo, count }) => [upTo, count]));
  return later.map(({ upTo, count }) => ({ upTo, count: count - (earlierCounts.get(upTo) ?? 0) }));
}

/**
 * Estimates a quantile like Prometheus's `histogram_quantile`: values are distributed evenly within
 * a bucket, and the largest bound stands for everything above it.
 * @param quantile 0–1
 * @returns `undefined` if nothing was observed
 */
export function computeQuantile(histogram: Histogram, quantile: number): number | undefined {
  const total = countObservations(histogram);
  if (total <= 0) return undefined;
  const rank = quantile * total;
  const index = histogram.findIndex(({ count }) => count >= rank && count > 0);
  const bucket = histogram[index];
  if (bucket === undefined) return undefined;
  const lowerBucket = histogram[index - 1] ?? { upTo: 0, count: 0 };
  if (bucket.upTo === Infinity) return index === 0 ? undefined : lowerBucket.upTo;
  const inBucket = bucket.count - lowerBucket.count;
  if (inBucket <= 0) return bucket.upTo;
  return (
    lowerBucket.upTo + (bucket.upTo - lowerBucket.upTo) * ((rank - lowerBucket.count) / inBucket)
  );
}

/** Number of observations. */
function countObservations(histogram: Histogram): number {
  return histogram.at(-1)?.count ?? 0;
}
