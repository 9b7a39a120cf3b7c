/** The outcome of one request, measured at the client. Times are on one clock. */
export interface RequestRecord {
  readonly startedAtMs: number;
  /** Arrival times of the chunks with text: one token each, unless a character takes several. */
  readonly chunkTimesMs: readonly number[];
  readonly endedAtMs: number;
  /** The server's own counts; absent when it reported none. */
  readonly tokens: TokenCounts | undefined;
  /** The answer's text and the arguments of its tool calls; no reasoning. */
  readonly text: string;
  /** The answer's `finish_reason`; absent when it was not finished. */
  readonly finishReason: string | undefined;
  /** Why the request failed; absent when it succeeded. */
  readonly error: string | undefined;
  /** Error events in its stream; absent: none. */
  readonly errorEvents?: number;
  /** How it was refused; absent when it was not, or when no answer came at all. */
  readonly refusal?: Refusal;
}

/** An answer with another status than 200. */
export interface Refusal {
  readonly status: number;
  /** Of the answer's `Retry-After`; absent: it has none. */
  readonly retryAfterSeconds?: number;
}

/** Token counts of one request, from `usage` and llama-server's `timings`. */
export interface TokenCounts {
  /** The whole prompt, cached or not. */
  readonly prompt: number;
  /** Prompt tokens that were served from a cache instead of being evaluated. */
  readonly cached: number;
  readonly completion: number;
  /** Draft tokens of speculative decoding, and how many of them were accepted. */
  readonly drafted: number;
  readonly accepted: number;
  /** Tokens that a constraint forced and that were evaluated with others; only ggufd tells. */
  readonly forced: number;
}
