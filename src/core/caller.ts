import type { ObserveGeneration } from "./request-observer.js";

/** Charges the tokens of one request to the rate limit and the budgets of its key. */
export interface TokenAllowance {
  /**
   * Charges the prompt tokens of answers to the rate limit, and reserves the tokens that they may
   * have at most in the budgets. A request may be admitted several times, for answers one after the
   * other.
   * @returns for each answer, a function to be called once, at its end
   * @throws {GgufdError} `insufficient_quota`: a budget is used up; `rate_limit_exceeded`: the rest
   *   of it is reserved
   */
  admit(answers: readonly ExpectedTokens[]): readonly SettleTokens[];
}

/** Tokens that an answer may have. */
export interface ExpectedTokens {
  /** 0 if the answer shares the prompt of the previous one. */
  readonly promptTokens: number;
  readonly maxTokens: number;
}

/**
 * Charges the tokens of an answer that has ended.
 * @param completionTokens `undefined`: the answer never left the queue
 */
export type SettleTokens = (completionTokens: number | undefined) => void;

/** Sender of a request, and the lifetime of its answer. */
export interface Caller {
  /**
   * Aborted when the answer is no longer wanted. Its reason is a `GgufdError` if the client is to
   * receive it: a time limit has passed, rather than the client having disconnected.
   */
  readonly signal: AbortSignal;
  /**
   * Registers a listener that is called once, when the answer is complete or abandoned and no more
   * work is done for it.
   */
  readonly onEnd: (listener: () => void) => void;
  /** `batch`: a line of a batch, which yields to all other requests; absent: interactive. */
  readonly class?: "batch";
  /** Name of an API key, or a client's address; requests of the same name share one fair share. */
  readonly name: string;
  /** Name of the API key; absent: the server has no keys. */
  readonly keyName?: string;
  /** Fair share relative to a caller of weight 1; positive. */
  readonly weight: number;
  /** Limits and budgets of tokens; absent: unlimited. */
  readonly tokens?: TokenAllowance;
  /**
   * Called when the engine exits after a part of the answer was sent: decides whether the answer
   * resumes or ends. An answer of which the client has seen nothing can always resume.
   * @param pause `restart`: it can resume when the engine is back; `none`: at once, because another
   *   replica of the model is running
   */
  readonly decideAfterInterruption: (pause: "none" | "restart") => "ended" | "resumed";
  /** Observes the caller's generations: for metrics, the access log and traces. */
  readonly observe: ObserveGeneration;
}
