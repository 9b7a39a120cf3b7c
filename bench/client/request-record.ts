/** Outcome of one request, measured at the client. All times are on one clock. */
export interface RequestRecord {
  readonly startedAtMs: number;
  /** Arrival times of the chunks with text: one token each, unless a character takes several. */
  readonly chunkTimesMs: readonly number[];
  readonly endedAtMs: number;
  /** Token counts reported by the server; absent if it reported none. */
  readonly tokens: TokenCounts | undefined;
  /** Text of the answer and arguments of its tool calls, without reasoning. */
  readonly text: string;
  /** The answer's `finish_reason`; absent if the answer was not finished. */
  readonly finishReason: string | undefined;
  /** Reason of the failure; absent if the request succeeded. */
  readonly error: string | undefined;
  /** Number of error events in the stream; absent: none. */
  readonly errorEvents?: number;
  /** Details of a refusal; absent if the request was not refused, or was not answered at all. */
  readonly refusal?: Refusal;
}

/** Response with a status other than 200. */
export interface Refusal {
  readonly status: number;
  /** Value of the response's `Retry-After`; absent if it has none. */
  readonly retryAfterSeconds?: number;
}

/** Token counts of one request, from `usage` and llama-server's `timings`. */
export interface TokenCounts {
  /** Tokens of the whole prompt, cached or not. */
  readonly prompt: number;
  /** Prompt tokens that were served from a cache instead of being evaluated. */
  readonly cached: number;
  readonly completion: number;
  /** Draft tokens of speculative decoding. */
  readonly drafted: number;
  readonly accepted: number;
  /**
   * Tokens that a constraint forced and that were evaluated in one batch; reported by ggufd only.
   */
  readonly forced: number;
}
