import { GgufdError } from "../core/errors.js";

/** The amount of queued work, or its limit. */
export interface QueueLoad {
  readonly requests: number;
  readonly promptTokens: number;
}

export interface AdmissionInput {
  /** Length of the new request's prompt, in tokens. */
  readonly promptTokens: number;
  readonly running: number;
  readonly slots: number;
  readonly waiting: QueueLoad;
  readonly limits: QueueLoad;
}

/** Clients honour a Retry-After of at most a minute. */
const MAX_RETRY_AFTER_SECONDS = 60;

/**
 * Admission control: decides whether a request may run or wait. When load is shed, `Retry-After` is
 * one second for each round of slots that the queue needs.
 * @throws {GgufdError} `server_overloaded`
 */
export function admit({ promptTokens, running, slots, waiting, limits }: AdmissionInput): void {
  if (running < slots) return;
  const exceedsRequests = waiting.requests >= limits.requests;
  // An empty queue admits any prompt: each one that fits into a slot can be served.
  const exceedsTokens =
    waiting.requests > 0 && waiting.promptTokens + promptTokens > limits.promptTokens;
  if (!exceedsRequests && !exceedsTokens) return;
  const reason = exceedsRequests
    ? `${waiting.requests} requests are already waiting (at most ${limits.requests} allowed)`
    : `${waiting.promptTokens} prompt tokens are already waiting (at most ${limits.promptTokens} allowed)`;
  const rounds = Math.ceil(waiting.requests / slots);
  throw new GgufdError("server_overloaded", `The server is overloaded: ${reason}.`, {
    retryAfterSeconds: Math.min(Math.max(rounds, 1), MAX_RETRY_AFTER_SECONDS),
  });
}
