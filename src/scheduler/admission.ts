import { GgufdError } from "../core/errors.js";

/** An amount of work that waits for a slot, or the most that may. */
export interface QueueLoad {
  readonly requests: number;
  readonly promptTokens: number;
}

export interface AdmissionQuestion {
  /** Length of the new request's prompt, in tokens. */
  readonly promptTokens: number;
  readonly running: number;
  readonly slots: number;
  readonly waiting: QueueLoad;
  readonly limits: QueueLoad;
}

/** Clients obey a Retry-After of at most a minute. */
const LONGEST_RETRY_SECONDS = 60;

/**
 * Decides whether a request may run or wait. The refusal says when to come back: a second for each
 * round of slots that the queue will take.
 * @throws {GgufdError} `server_overloaded`
 */
export function admit({ promptTokens, running, slots, waiting, limits }: AdmissionQuestion): void {
  if (running < slots) return;
  const tooMany = waiting.requests >= limits.requests;
  // An empty queue takes any prompt: each one that fits into a slot can be served.
  const tooLong = waiting.requests > 0 && waiting.promptTokens + promptTokens > limits.promptTokens;
  if (!tooMany && !tooLong) return;
  const reason = tooMany
    ? `${waiting.requests} requests are waiting already (at most ${limits.requests} may)`
    : `${waiting.promptTokens} prompt tokens are waiting already (at most ${limits.promptTokens} may)`;
  const rounds = Math.ceil(waiting.requests / slots);
  throw new GgufdError("server_overloaded", `The server is overloaded: ${reason}.`, {
    retryAfterSeconds: Math.min(Math.max(rounds, 1), LONGEST_RETRY_SECONDS),
  });
}
