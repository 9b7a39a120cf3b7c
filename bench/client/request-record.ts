/** What happened to one request, as its client saw it. Times are milliseconds on one clock. */
export interface RequestRecord {
  readonly startedAt: number;
  /** When each piece of text came: a token each, except where a character needs several. */
  readonly pieceTimes: readonly number[];
  readonly endedAt: number;
  /** The server's own count; absent when it told none. */
  readonly tokens: TokenCounts | undefined;
  /** Why there is no whole answer; absent when there is one. */
  readonly error: string | undefined;
}

/** Token counts of one request, from `usage` and llama-server's `timings`. */
export interface TokenCounts {
  /** The whole prompt, cached or not. */
  readonly prompt: number;
  /** Prompt tokens that were not evaluated again. */
  readonly cached: number;
  readonly completion: number;
  /** Tokens that speculation proposed, and those of them that were right. */
  readonly drafted: number;
  readonly accepted: number;
}
