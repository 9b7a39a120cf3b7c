import type { HistogramCounts } from "./histogram.js";

/** Where a cached prefix is: in the cells of the KV cache, or saved in memory or in a folder. */
export type CacheTier = "kv" | "ram" | "disk";

/** Tokens of drafts. */
export interface DraftedTokens {
  readonly proposed: number;
  readonly accepted: number;
}

/**
 * What an engine has done since its process started, and what it holds now. Plain data: it crosses the process
 * boundary once a second.
 */
export interface EngineStatistics {
  /** Time of one step. */
  readonly stepSeconds: HistogramCounts;
  /** Generations that take part in one step. */
  readonly stepGenerations: HistogramCounts;
  /** Tokens that one step evaluates. */
  readonly stepTokens: HistogramCounts;
  readonly prefillTokens: number;
  /** Evaluated to sample the next one: without drafts. */
  readonly decodeTokens: number;
  /** By where the drafts came from. */
  readonly drafts: Readonly<Record<"prediction" | "lookup" | "model", DraftedTokens>>;
  /** Of the prompts that have got a sequence. */
  readonly promptTokens: number;
  /** Those of them that were not evaluated, by where their states came from. */
  readonly cachedTokens: Readonly<Record<CacheTier, number>>;
  /** Prefixes that gave way to others; one that went to the next tier has left its own. */
  readonly evictions: Readonly<Record<CacheTier, number>>;
  /** Sizes of the saved states. */
  readonly storedBytes: Readonly<Record<Exclude<CacheTier, "kv">, number>>;
  /** Generations that had to give their cells to others and went on later. */
  readonly suspensions: number;
  /** Cells of the KV cache: those that generations hold, those that only keep a prefix, and all. */
  readonly cells: { readonly busy: number; readonly cached: number; readonly total: number };
  /** Main memory of the process. */
  readonly residentBytes: number;
}
