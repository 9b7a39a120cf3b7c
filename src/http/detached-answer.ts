import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../core/caller.js";
import { holdBodyMemory } from "./body-memory.js";
import { abortAtTimeLimit } from "./caller.js";
import { holdConcurrencyPermit } from "./keys/require-keys.js";

/** Answer that continues when its client disconnects. */
export interface DetachedAnswer {
  readonly caller: Caller;
  /** Aborts the answer; it is also aborted at the time limit of the request. */
  readonly controller: AbortController;
  /**
   * Ends the answer: frees the memory of the body, and counts the request as concurrent no longer.
   * Must be called exactly once.
   */
  readonly settle: () => void;
}

/** Detaches the answer of a request from its connection. */
export function detachAnswer(
  caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
): DetachedAnswer {
  const controller = new AbortController();
  const stopTimer = abortAtTimeLimit(controller, reply);
  const settled = new AbortController();
  const releases = [stopTimer, holdConcurrencyPermit(request), holdBodyMemory(request)];
  return {
    caller: {
      ...caller,
      signal: controller.signal,
      onEnd: (listener) => settled.signal.addEventListener("abort", listener, { once: true }),
    },
    controller,
    settle: () => {
      settled.abort();
      for (const release of releases) release();
    },
  };
}
