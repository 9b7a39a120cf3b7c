import { type HistogramCounts, sumHistograms } from "./histogram.js";
import { sumBy } from "./sum-by.js";

/** Location of a cached prefix: in the cells of the KV cache, or saved in memory or in a folder. */
export type CacheTier = "kv" | "ram" | "disk";

/** Counts of drafted tokens. */
export interface DraftedTokens {
  readonly proposed: number;
  readonly accepted: number;
}

/**
 * Statistics of an engine since its process started, and its current state. Plain data: it crosses
 * the process boundary once a second.
 */
export interface EngineStatistics {
  /** Duration of one step. */
  readonly stepSeconds: HistogramCounts;
  /** Number of generations that take part in one step. */
  readonly stepGenerations: HistogramCounts;
  /** Number of tokens that one step evaluates. */
  readonly stepTokens: HistogramCounts;
  readonly prefillTokens: number;
  /** Tokens evaluated to sample the next one, without drafts. */
  readonly decodeTokens: number;
  /** Drafted tokens by the origin of the draft. */
  readonly drafts: Readonly<Record<"prediction" | "lookup" | "model", DraftedTokens>>;
  /** Tokens of the prompts that have been assigned a sequence. */
  readonly promptTokens: number;
  /** Prompt tokens that were not evaluated, by the tier that their states came from. */
  readonly cachedTokens: Readonly<Record<CacheTier, number>>;
  /** Prefixes evicted from each tier; a prefix that moved to the next tier counts as evicted. */
  readonly evictions: Readonly<Record<CacheTier, number>>;
  /** Sizes of the saved states. */
  readonly storedBytes: Readonly<Record<Exclude<CacheTier, "kv">, number>>;
  /** Generations that yielded their cells to others and resumed later. */
  readonly suspensions: number;
  /** Cells of the KV cache: used by generations, holding only a cached prefix, and in total. */
  readonly cells: { readonly busy: number; readonly cached: number; readonly total: number };
  /** Resident memory of the process. */
  readonly residentBytes: number;
}

/**
 * Sums the statistics of several engines that serve one model.
 * @param parts at least one; their histograms have equal bounds
 */
export function sumStatistics(parts: readonly EngineStatistics[]): EngineStatistics {
  const sum = (read: (part: EngineStatistics) => number) => sumBy(parts, read);
  const sumDrafts = (source: keyof EngineStatistics["drafts"]): DraftedTokens => ({
    proposed: sum(({ drafts }) => drafts[source].proposed),
    accepted: sum(({ drafts }) => drafts[source].accepted),
  });
  const sumTiers = (field: "cachedTokens" | "evictions") => ({
    kv: sum((part) => part[field].kv),
    ram: sum((part) => part[field].ram),
    disk: sum((part) => part[field].disk),
  });
  return {
    stepSeconds: sumHistograms(parts.map(({ stepSeconds }) => stepSeconds)),
    stepGenerations: sumHistograms(parts.map(({ stepGenerations }) => stepGenerations)),
    stepTokens: sumHistograms(parts.map(({ stepTokens }) => stepTokens)),
    prefillTokens: sum(({ prefillTokens }) => prefillTokens),
    decodeTokens: sum(({ decodeTokens }) => decodeTokens),
    drafts: {
      prediction: sumDrafts("prediction"),
      lookup: sumDrafts("lookup"),
      model: sumDrafts("model"),
    },
    promptTokens: sum(({ promptTokens }) => promptTokens),
    cachedTokens: sumTiers("cachedTokens"),
    evictions: sumTiers("evictions"),
    storedBytes: {
      ram: sum(({ storedBytes }) => storedBytes.ram),
      disk: sum(({ storedBytes }) => storedBytes.disk),
    },
    suspensions: sum(({ suspensions }) => suspensions),
    cells: {
      busy: sum(({ cells }) => cells.busy),
      cached: sum(({ cells }) => cells.cached),
      total: sum(({ cells }) => cells.total),
    },
    residentBytes: sum(({ residentBytes }) => residentBytes),
  };
}

/**
 * Returns the counters of a process that has exited, without its current state. Added to a sum of
 * engines, they keep the sum's counters from decreasing, which Prometheus would take for a restart
 * of all engines.
 */
export function countersOf(statistics: EngineStatistics): EngineStatistics {
  return {
    ...statistics,
    storedBytes: { ram: 0, disk: 0 },
    cells: { busy: 0, cached: 0, total: 0 },
    residentBytes: 0,
  };
}
