import assert from "node:assert/strict";
import { Histogram, type Registry } from "prom-client";
import type { HistogramCounts } from "../../core/histogram.js";

/** A histogram that was counted elsewhere, and whose it is. */
export interface LabelledCounts {
  readonly labels: Readonly<Record<string, string>>;
  readonly counts: HistogramCounts;
}

export interface CountsHistogramOptions {
  readonly name: string;
  readonly help: string;
  readonly registry: Registry;
  /** Asked at each scrape. */
  readonly read: () => readonly LabelledCounts[];
}

/** A histogram of prom-client's that shows counts from elsewhere: it has no means to take them over. */
export class CountsHistogram extends Histogram {
  readonly #options: CountsHistogramOptions;

  constructor(options: CountsHistogramOptions) {
    const { name, help, registry } = options;
    super({ name, help, registers: [registry] });
    this.#options = options;
  }

  override async get() {
    const { name, help, read } = this.#options;
    const values = read().flatMap(({ labels, counts }) => bucketSamples(name, labels, counts));
    return { name, help, type: "histogram", aggregator: "sum", values } as unknown as Awaited<
      ReturnType<Histogram["get"]>
    >;
  }

  /** What a registry prints, where a metric has it. */
  getForPromString() {
    return this.get();
  }
}

function bucketSamples(
  name: string,
  labels: LabelledCounts["labels"],
  { bounds, counts, count, sum }: HistogramCounts,
) {
  assert(counts.length === bounds.length, "expected a count for each bound of a histogram");
  let below = 0;
  const buckets = bounds.map((le, index) => {
    below += counts[index] ?? 0;
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: below };
  });
  return [
    ...buckets,
    { metricName: `${name}_bucket`, labels: { le: "+Inf", ...labels }, value: count },
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
