/** A histogram as Prometheus has it. Plain data. */
export interface HistogramCounts {
  /** Ascending upper bounds; what is above the last one is in `count` alone. */
  readonly bounds: readonly number[];
  /** Observations at or below each bound, those of lower bounds not included. */
  readonly counts: readonly number[];
  readonly count: number;
  readonly sum: number;
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
  readonly prefillTokens: number;
  readonly decodeTokens: number;
  readonly draftTokens: number;
  readonly acceptedDraftTokens: number;
  /** Prompt tokens that were not evaluated, by where their states came from. */
  readonly cachedTokens: { readonly sequence: number; readonly ram: number; readonly disk: number };
  /** Saved states that were dropped for want of room, by tier. */
  readonly evictions: { readonly ram: number; readonly disk: number };
  /** Cells of the KV cache: those that hold a token, and all. */
  readonly cells: { readonly used: number; readonly total: number };
}
