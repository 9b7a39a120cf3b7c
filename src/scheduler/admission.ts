import { GgufdError } from "../core/errors.js";

/** The amount of queued work, or its limit. */
export interface QueueLoad {
  readonly requests: number;
  readonly promptTokens: number;
}

export interface AdmissionInput {
  /** The new request's generations, each of which takes a slot: lengths of their prompts, in tokens. */
  readonly promptTokens: readonly number[];
  readonly running: number;
  readonly slots: number;
  readonly waiting: QueueLoad;
  readonly limits: QueueLoad;
}

/** Clients honour a Retry-After of at most a minute. */
const MAX_RETRY_AFTER_SECONDS = 60;

/**
 * Admission control: decides whether a request may run or wait, with all of its generations. When load is
 * shed, `Retry-After` is one second for each round of slots that the queue needs.
 * @throws {GgufdError} `server_overloaded`
 */
export function admit({ promptTokens, running, slots, waiting, limits }: AdmissionInput): void {
  const queued = promptTokens.slice(Math.max(0, slots - running));
  if (queued.length === 0) return;
  const queuedTokens = queued.reduce((sum, tokens) => sum + tokens, 0);
  const exceedsRequests = waiting.requests + queued.length > limits.requests;
  // An empty queue admits any prompt: each one that fits into a slot can be served.
  const exceedsTokens =
    waiting.requests > 0 && waiting.promptTokens + queuedTokens > limits.promptTokens;
  if (!exceedsRequests && !exceedsTokens) return;
  const ownChoices =
    promptTokens.length > 1 ? `, and ${queued.length} choices of this one would` : "";
  const reason = exceedsRequests
    ? `${waiting.requests} requests are already waiting${ownChoices} (at most ${limits.requests} allowed)`
    : `${waiting.promptTokens} prompt tokens are already waiting (at most ${limits.promptTokens} allowed)`;
  const rounds = Math.ceil(waiting.requests / slots);
  throw new GgufdError("server_overloaded", `The server is overloaded: ${reason}.`, {
    retryAfterSeconds: Math.min(Math.max(rounds, 1), MAX_RETRY_AFTER_SECONDS),
  });
}
