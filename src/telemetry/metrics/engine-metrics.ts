import { Counter, Gauge, type Registry } from "prom-client";
import type { EngineStatistics } from "../../core/engine-statistics.js";
import type { HistogramCounts } from "../../core/histogram.js";
import type { ModelActivity } from "../../core/model-directory.js";
import { CountsHistogram } from "./counts-histogram.js";

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

interface NamedMetric {
  readonly name: string;
  readonly help: string;
}

interface ScalarMetric extends NamedMetric {
  readonly label?: undefined;
  readonly read: (statistics: EngineStatistics) => number;
}

/** A metric with one value per value of a label. */
interface LabelledMetric extends NamedMetric {
  readonly label: "state" | "tier" | "source";
  readonly read: (statistics: EngineStatistics) => Readonly<Record<string, number>>;
}

type EngineMetric = ScalarMetric | LabelledMetric;

interface EngineHistogram extends NamedMetric {
  readonly read: (statistics: EngineStatistics) => HistogramCounts;
}

const COUNTERS: readonly EngineMetric[] = [
  {
    name: "engine_prefill_tokens_total",
    help: "Prompt tokens that were evaluated.",
    read: ({ prefillTokens }) => prefillTokens,
  },
  {
    name: "engine_decode_tokens_total",
    help: "Tokens that were evaluated one after the other, without drafts.",
    read: ({ decodeTokens }) => decodeTokens,
  },
  {
    name: "num_preemptions_total",
    help: "Answers that were suspended because the cells of the KV cache had run out.",
    read: ({ suspensions }) => suspensions,
  },
  {
    name: "prefix_cache_queries_total",
    help: "Prompt tokens that were looked up in the prefix cache.",
    read: ({ promptTokens }) => promptTokens,
  },
  {
    name: "prefix_cache_hits_total",
    help: "Prompt tokens that were found in the prefix cache, by storage location.",
    label: "tier",
    read: ({ cachedTokens }) => cachedTokens,
  },
  {
    name: "prefix_cache_evictions_total",
    help: "Cached prefixes that were evicted, by storage location.",
    label: "tier",
    read: ({ evictions }) => evictions,
  },
  {
    name: "spec_decode_num_draft_tokens_total",
    help: "Drafted tokens, by drafter.",
    label: "source",
    read: ({ drafts: { prediction, lookup, model } }) => ({
      prediction: prediction.proposed,
      lookup: lookup.proposed,
      model: model.proposed,
    }),
  },
  {
    name: "spec_decode_num_accepted_tokens_total",
    help: "Drafted tokens that were accepted, by drafter.",
    label: "source",
    read: ({ drafts: { prediction, lookup, model } }) => ({
      prediction: prediction.accepted,
      lookup: lookup.accepted,
      model: model.accepted,
    }),
  },
];

const GAUGES: readonly EngineMetric[] = [
  {
    name: "kv_cache_usage_perc",
    help: "Share of the KV cache that answers in progress hold, 0 to 1.",
    read: ({ cells: { busy, total } }) => busy / total,
  },
  {
    name: "kv_cache_cells",
    help: "Cells of the KV cache: held by answers in progress, kept for prefix reuse, free.",
    label: "state",
    read: ({ cells: { busy, cached, total } }) => ({ busy, cached, free: total - busy - cached }),
  },
  {
    name: "prefix_cache_stored_bytes",
    help: "Size of the saved states, by storage location.",
    label: "tier",
    read: ({ storedBytes }) => storedBytes,
  },
  {
    name: "engine_resident_memory_bytes",
    help: "Main memory of the engine's process.",
    read: ({ residentBytes }) => residentBytes,
  },
];

const HISTOGRAMS: readonly EngineHistogram[] = [
  {
    name: "step_duration_seconds",
    help: "Time of one step of the engine.",
    read: ({ stepSeconds }) => stepSeconds,
  },
  {
    name: "step_generations",
    help: "Answers batched into one step.",
    read: ({ stepGenerations }) => stepGenerations,
  },
  {
    name: "iteration_tokens_total",
    help: "Tokens that one step evaluates.",
    read: ({ stepTokens }) => stepTokens,
  },
];

/** Exports the statistics of engines and the state of their processes. */
export function registerEngineMetrics(
  registry: Registry,
  models: () => readonly ModelActivity[],
): void {
  const collectStatistics = () => models().flatMap(statisticsOf);
  const createSampler = (metric: EngineMetric) => () =>
    collectStatistics().flatMap(({ modelName, statistics }) =>
      toSamples(metric, modelName, statistics),
    );
  for (const metric of COUNTERS) registerCounter(registry, metric, createSampler(metric));
  for (const metric of GAUGES) registerGauge(registry, metric, createSampler(metric));
  for (const { name, help, read } of HISTOGRAMS) {
    new CountsHistogram({
      name: `ggufd:${name}`,
      help,
      registry,
      read: () =>
        collectStatistics().map(({ modelName, statistics }) => ({
          labels: { model_name: modelName },
          counts: read(statistics),
        })),
    });
  }
  registerProcessMetrics(registry, models);
}

function registerProcessMetrics(registry: Registry, models: () => readonly ModelActivity[]): void {
  const readEach = (read: (model: ModelActivity) => number) => () =>
    models().map((model): Sample => [{ model_name: model.alias }, read(model)]);
  registerCounter(
    registry,
    {
      name: "engine_restarts_total",
      help: "Number of times that the model's process exited or was killed.",
    },
    readEach(({ crashes }) => crashes),
  );
  registerGauge(
    registry,
    { name: "model_ready", help: "Whether the model accepts requests: 1 or 0." },
    readEach(({ state }) => (state.state === "ready" ? 1 : 0)),
  );
  registerGauge(
    registry,
    { name: "model_loading", help: "Whether the model is being loaded: 1 or 0." },
    readEach(({ state }) => (state.state === "loading" ? 1 : 0)),
  );
  registerGauge(registry, { name: "num_slots", help: "Answers that can run at once." }, () =>
    models().flatMap(({ alias, loaded }): readonly Sample[] =>
      loaded?.kind === "generation" ? [[{ model_name: alias }, loaded.engine.slots]] : [],
    ),
  );
  new Gauge({
    name: "ggufd:model_info",
    help: "Served model: always 1.",
    labelNames: ["model_name", "kind", "architecture", "quantization"],
    registers: [registry],
    collect() {
      this.reset();
      for (const { loaded } of models()) {
        if (loaded === undefined) continue;
        const { architecture, quantization = "" } = loaded.engine.model;
        this.set({ model_name: loaded.alias, kind: loaded.kind, architecture, quantization }, 1);
      }
    },
  });
}

type MetricDescription = NamedMetric & Pick<EngineMetric, "label">;

/** Exports a counter that is counted elsewhere. */
function registerCounter(
  registry: Registry,
  shown: MetricDescription,
  read: () => readonly Sample[],
): void {
  new Counter({
    ...toConfiguration(registry, shown),
    collect() {
      this.reset();
      for (const [labels, value] of read()) this.inc({ ...labels }, value);
    },
  });
}

function registerGauge(
  registry: Registry,
  shown: MetricDescription,
  read: () => readonly Sample[],
): void {
  new Gauge({
    ...toConfiguration(registry, shown),
    collect() {
      this.reset();
      for (const [labels, value] of read()) this.set({ ...labels }, value);
    },
  });
}

function toConfiguration(registry: Registry, { name, help, label }: MetricDescription) {
  const labelNames: readonly string[] =
    label === undefined ? ["model_name"] : ["model_name", label];
  return { name: `ggufd:${name}`, help, labelNames, registers: [registry] };
}

function statisticsOf({ alias, loaded, state }: ModelActivity) {
  const statistics = loaded?.kind === "generation" ? loaded.statistics : undefined;
  return statistics === undefined || state.state === "lost"
    ? []
    : [{ modelName: alias, statistics }];
}

function toSamples(
  metric: EngineMetric,
  modelName: string,
  statistics: EngineStatistics,
): readonly Sample[] {
  const labels = { model_name: modelName };
  if (metric.label === undefined) return [[labels, metric.read(statistics)]];
  const { label } = metric;
  return Object.entries(metric.read(statistics)).map(([key, value]) => [
    { ...labels, [label]: key },
    value,
  ]);
}
