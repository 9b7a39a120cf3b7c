import type { HistogramCounts } from "./histogram.js";

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
