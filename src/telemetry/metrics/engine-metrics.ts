import { Counter, Gauge, type Registry } from "prom-client";
import type { EngineStatistics } from "../../core/engine-statistics.js";
import type { HistogramCounts } from "../../core/histogram.js";
import type { ModelActivity } from "../../core/model-directory.js";
import type { ReplicaState } from "../../core/replicas.js";
import { CountsHistogram } from "./counts-histogram.js";

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

interface NamedMetric {
  readonly name: string;
  readonly help: string;
}

interface StatisticsMetric extends NamedMetric {
  /**
   * Whether models with several replicas have it for each of them as well, under another name:
   * sums over the series of a model stay right.
   */
  readonly byReplica?: true;
}

interface ScalarMetric extends StatisticsMetric {
  readonly label?: undefined;
  readonly read: (statistics: EngineStatistics) => number;
}

/** A metric with one value per value of a label. */
interface LabelledMetric extends StatisticsMetric {
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
    byReplica: true,
    read: ({ prefillTokens }) => prefillTokens,
  },
  {
    name: "engine_decode_tokens_total",
    help: "Tokens that were evaluated one after the other, without drafts.",
    byReplica: true,
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
    byReplica: true,
    read: ({ promptTokens }) => promptTokens,
  },
  {
    name: "prefix_cache_hits_total",
    help: "Prompt tokens that were found in the prefix cache, by storage location.",
    byReplica: true,
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
    byReplica: true,
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
    byReplica: true,
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
    byReplica: true,
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

/** Labels of series. */
const MODEL = "model_name";
const REPLICA = "replica";

/** Exports the statistics of engines and the state of their processes. */
export function registerEngineMetrics(
  registry: Registry,
  models: () => readonly ModelActivity[],
): void {
  const collectStatistics = () => models().flatMap(statisticsOf);
  const collectReplicas = () => models().flatMap(replicaStatisticsOf);
  const register = (registerOne: typeof registerCounter, metrics: readonly EngineMetric[]) => {
    for (const metric of metrics) {
      const { name, help, label, byReplica } = metric;
      const labelNames = label === undefined ? [] : [label];
      registerOne(registry, { name, help, labelNames: [MODEL, ...labelNames] }, () =>
        collectStatistics().flatMap((source) => toSamples(metric, source)),
      );
      if (byReplica === undefined) continue;
      const ofReplica = { name: `replica_${name}`, help: `${help} By replica.` };
      registerOne(registry, { ...ofReplica, labelNames: [MODEL, REPLICA, ...labelNames] }, () =>
        collectReplicas().flatMap((source) => toSamples(metric, source)),
      );
    }
  };
  register(registerCounter, COUNTERS);
  register(registerGauge, GAUGES);
  for (const { name, help, read } of HISTOGRAMS) {
    new CountsHistogram({
      name: `ggufd:${name}`,
      help,
      registry,
      read: () =>
        collectStatistics().map(({ labels, statistics }) => ({
          labels,
          counts: read(statistics),
        })),
    });
  }
  registerProcessMetrics(registry, models);
  registerReplicaMetrics(registry, models);
}

/** Exports the state of each engine of models that have several. */
function registerReplicaMetrics(registry: Registry, models: () => readonly ModelActivity[]): void {
  const addGauge = (name: string, help: string, read: (replica: ReplicaState) => number) =>
    registerGauge(registry, { name, help, labelNames: [MODEL, REPLICA] }, () =>
      models().flatMap((model) =>
        listReplicas(model).map((replica): Sample => [labelsOf(model, replica), read(replica)]),
      ),
    );
  addGauge("replica_ready", "Whether the replica's engine runs: 1 or 0.", ({ state }) =>
    state === "running" ? 1 : 0,
  );
  addGauge(
    "replica_num_slots",
    "Answers that can run at once in the replica.",
    ({ slots }) => slots,
  );
  addGauge(
    "replica_num_requests",
    "Answers that run or wait in the replica.",
    ({ generations }) => generations,
  );
}

function registerProcessMetrics(registry: Registry, models: () => readonly ModelActivity[]): void {
  const readEach = (read: (model: ModelActivity) => number) => () =>
    models().map((model): Sample => [{ [MODEL]: model.alias }, read(model)]);
  const labelNames = [MODEL];
  registerCounter(
    registry,
    {
      name: "engine_restarts_total",
      help: "Number of times that a process of the model exited or was killed.",
      labelNames,
    },
    readEach(({ crashes }) => crashes),
  );
  registerGauge(
    registry,
    { name: "model_ready", help: "Whether the model accepts requests: 1 or 0.", labelNames },
    readEach(({ state }) => (state.state === "ready" ? 1 : 0)),
  );
  registerGauge(
    registry,
    { name: "model_loading", help: "Whether the model is being loaded: 1 or 0.", labelNames },
    readEach(({ state }) => (state.state === "loading" ? 1 : 0)),
  );
  const slots = { name: "num_slots", help: "Answers that can run at once.", labelNames };
  registerGauge(registry, slots, () =>
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

interface MetricDescription extends NamedMetric {
  readonly labelNames: readonly string[];
}

/** Statistics of an engine, with the labels of its series. */
interface LabelledStatistics {
  readonly labels: Readonly<Record<string, string>>;
  readonly statistics: EngineStatistics;
}

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

function toConfiguration(registry: Registry, { name, help, labelNames }: MetricDescription) {
  return { name: `ggufd:${name}`, help, labelNames, registers: [registry] };
}

function statisticsOf({ alias, loaded, state }: ModelActivity): readonly LabelledStatistics[] {
  const statistics = loaded?.kind === "generation" ? loaded.statistics : undefined;
  return statistics === undefined || state.state === "lost"
    ? []
    : [{ labels: { [MODEL]: alias }, statistics }];
}

function replicaStatisticsOf(model: ModelActivity): readonly LabelledStatistics[] {
  return listReplicas(model).flatMap((replica) => {
    const { statistics } = replica;
    return statistics === undefined ? [] : [{ labels: labelsOf(model, replica), statistics }];
  });
}

function listReplicas({ loaded }: ModelActivity): readonly ReplicaState[] {
  return loaded?.kind === "generation" ? (loaded.replicas ?? []) : [];
}

function labelsOf({ alias }: ModelActivity, { index }: ReplicaState) {
  return { [MODEL]: alias, [REPLICA]: `${index}` };
}

function toSamples(
  metric: EngineMetric,
  { labels, statistics }: LabelledStatistics,
): readonly Sample[] {
  if (metric.label === undefined) return [[labels, metric.read(statistics)]];
  const { label } = metric;
  return Object.entries(metric.read(statistics)).map(([key, value]) => [
    { ...labels, [label]: key },
    value,
  ]);
}
