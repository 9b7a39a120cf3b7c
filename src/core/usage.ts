/** Sums over the requests of an interval. All fields are 0 or positive. */
export interface UsageTotals {
  /** Requests that a model worked for, however they ended. */
  readonly requests: number;
  /** All prompt tokens, cached or evaluated; those of pooled inputs too. */
  readonly promptTokens: number;
  /** Prompt tokens that came from the prefix cache. */
  readonly cachedTokens: number;
  readonly completionTokens: number;
  readonly images: number;
  readonly audioSeconds: number;
  /** Time in the engine, from leaving the queue to the end, summed over all answers. */
  readonly engineMs: number;
}

/** Usage that is known without reading a file. */
export interface RecentUsage {
  /**
   * Sums the usage of one API key, including requests that are not yet written.
   * @param subject name of the key; `undefined`: requests without a key
   * @param sinceEpochMs start of an hour of the current or the previous month (UTC)
   */
  sumSince(subject: string | undefined, sinceEpochMs: number): UsageTotals;
}
