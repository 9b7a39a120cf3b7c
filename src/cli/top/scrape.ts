import type { Sample } from "./prometheus-text.js";

/** One reading of a server's metrics. */
export interface Scrape {
  /** Since the Unix epoch, in milliseconds. */
  readonly atMs: number;
  readonly samples: readonly Sample[];
}

/** The value of the first series of a name. */
export function gaugeOf(samples: readonly Sample[], name: string): number | undefined {
  return samples.find((sample) => sample.name === name)?.value;
}

/** All series of a name together; `undefined`: there is none. */
export function sumOf(samples: readonly Sample[], name: string): number | undefined {
  const series = samples.filter((sample) => sample.name === name);
  return series.length === 0 ? undefined : series.reduce((sum, { value }) => sum + value, 0);
}

/**
 * By how much the counters of a name have grown together since an earlier reading. A counter that is smaller than
 * before has begun at 0 again.
 * @returns `undefined`: there is no such counter, or no earlier reading
 */
export function growthOf(
  earlier: readonly Sample[] | undefined,
  later: readonly Sample[],
  name: string,
): number | undefined {
  const series = later.filter((sample) => sample.name === name);
  if (earlier === undefined || series.length === 0) return undefined;
  const before = new Map(
    earlier
      .filter((sample) => sample.name === name)
      .map((sample) => [seriesKey(sample), sample.value]),
  );
  return series.reduce((sum, sample) => {
    const last = before.get(seriesKey(sample)) ?? 0;
    return sum + (sample.value < last ? sample.value : sample.value - last);
  }, 0);
}

function seriesKey({ labels }: Sample): string {
  return JSON.stringify(
    Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}
