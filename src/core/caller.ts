import type { ObserveGeneration } from "./request-observer.js";

/** Charges tokens to a caller's rate limit. */
export interface TokenAllowance {
  /** Deducts tokens, also below zero: the token count of a request is known only at its end. */
  charge(tokens: number): void;
}

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
  /** Token rate limit; absent: unlimited. */
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
