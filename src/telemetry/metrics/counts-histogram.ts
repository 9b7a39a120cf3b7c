import assert from "node:assert/strict";
import { Histogram, type Registry } from "prom-client";
import type { HistogramCounts } from "../../core/histogram.js";

/** A histogram counted elsewhere, with its labels. */
export interface LabelledCounts {
  readonly labels: Readonly<Record<string, string>>;
  readonly counts: HistogramCounts;
}

export interface CountsHistogramOptions {
  readonly name: string;
  readonly help: string;
  readonly registry: Registry;
  /** Called at each scrape. */
  readonly read: () => readonly LabelledCounts[];
}

/**
 * A prom-client histogram that exports counts collected elsewhere, which prom-client does not
 * support.
 */
export class CountsHistogram extends Histogram {
  readonly #options: CountsHistogramOptions;

  constructor(options: CountsHistogramOptions) {
    const { name, help, registry } = options;
    super({ name, help, registers: [registry] });
    this.#options = options;
  }

  override async get() {
    const { name, help, read } = this.#options;
    const values = read().flatMap(({ labels, counts }) => buildBucketSamples(name, labels, counts));
    return { name, help, type: "histogram", aggregator: "sum", values } as unknown as Awaited<
      ReturnType<Histogram["get"]>
    >;
  }

  /** Preferred by prom-client's registry over the metric's own serialisation. */
  getForPromString() {
    return this.get();
  }
}

function buildBucketSamples(
  name: string,
  labels: LabelledCounts["labels"],
  { bounds, counts, count, sum }: HistogramCounts,
) {
  assert(counts.length === bounds.length, "expected a count for each bound of a histogram");
  let cumulativeCount = 0;
  const buckets = bounds.map((le, index) => {
    cumulativeCount += counts[index] ?? 0;
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: cumulativeCount };
  });
  return [
    ...buckets,
    { metricName: `${name}_bucket`, labels: { le: "+Inf", ...labels }, value: count },
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
