import type { ObserveGeneration } from "./request-observer.js";

/** Pays the tokens of a caller whose tokens per minute are limited. */
export interface TokenAllowance {
  /** Takes tokens off, also below zero: what a request takes is known when it has ended. */
  charge(tokens: number): void;
}

/** Who sent a request, and how long its answer is wanted. */
export interface Caller {
  /**
   * Aborted when the answer is no longer wanted. Its reason is a `GgufdError` if the client is to be told:
   * a time limit has passed, rather than that the client has hung up.
   */
  readonly signal: AbortSignal;
  /** Calls back once, when its answer is complete or has been given up: nothing is done for it any more. */
  readonly onEnd: (listener: () => void) => void;
  /** Requests of the same name take turns as one caller: the name of an API key, or a client's address. */
  readonly name: string;
  /** The name of its API key; absent: the server has none. */
  readonly keyName?: string;
  /** Turns that this caller gets for one of a caller of weight 1; positive. */
  readonly weight: number;
  /** Absent: its tokens are not limited. */
  readonly tokens?: TokenAllowance;
  /**
   * Asked when the engine is lost after a part of an answer has been passed on: whether it goes on from there when
   * the engine is back, or ends. What the client has not seen yet can always go on.
   */
  readonly cutAnswer: () => "ended" | "resumed";
  /** Follows its generations: for metrics, the access log and traces. */
  readonly observe: ObserveGeneration;
}
