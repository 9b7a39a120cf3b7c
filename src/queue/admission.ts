import assert from "node:assert/strict";
import { GgufdError, retryAfterIn } from "../core/errors.js";

/** The amount of queued work, or its limit. */
export interface QueueLoad {
  readonly requests: number;
  readonly promptTokens: number;
}

export interface AdmissionInput {
  /** The new request's generations, each of which takes a slot: lengths of their prompts, in tokens. */
  readonly promptTokens: readonly number[];
  /** The same of those that are ahead of it and have no slot yet, in order. */
  readonly ahead: readonly number[];
  readonly freeSlots: number;
  readonly slots: number;
  readonly limits: QueueLoad;
  /** What a generation takes once it has a slot, in milliseconds; `undefined`: none has ended yet. */
  readonly serviceMs: number | undefined;
}

/**
 * Admission control: decides whether a request may run or wait, with all of its generations.
 * @throws {GgufdError} `server_overloaded`, which says how many wait and when to try again
 */
export function admit(input: AdmissionInput): void {
  const { promptTokens, ahead, freeSlots, slots, limits, serviceMs } = input;
  assert(promptTokens.length > 0, "a request has at least one generation");
  assert(freeSlots >= 0 && freeSlots <= slots, `${freeSlots} of ${slots} slots are free`);
  const queued = promptTokens.slice(Math.max(0, freeSlots - ahead.length));
  if (queued.length === 0) return;
  const waiting = loadOf(ahead.slice(freeSlots));
  const own = loadOf(queued);
  const exceedsRequests = waiting.requests + own.requests > limits.requests;
  // An empty queue admits any prompt: each one that fits into a slot can be served.
  const exceedsTokens =
    waiting.requests > 0 && waiting.promptTokens + own.promptTokens > limits.promptTokens;
  if (!exceedsRequests && !exceedsTokens) return;
  const ownChoices =
    promptTokens.length > 1 ? `, and ${queued.length} choices of this one would` : "";
  const reason = exceedsRequests
    ? `${waiting.requests} requests are already waiting${ownChoices} (at most ${limits.requests} allowed)`
    : `${waiting.promptTokens} prompt tokens are already waiting (at most ${limits.promptTokens} allowed)`;
  throw new GgufdError("server_overloaded", `The server is overloaded: ${reason}.`, {
    retryAfterSeconds: retryAfterSeconds({ waiting: waiting.requests, slots, serviceMs }),
  });
}

function loadOf(promptTokens: readonly number[]): QueueLoad {
  return {
    requests: promptTokens.length,
    promptTokens: promptTokens.reduce((sum, tokens) => sum + tokens, 0),
  };
}

export interface QueueProgress {
  /** Requests that wait for a slot. */
  readonly waiting: number;
  readonly slots: number;
  /** What a request takes once it has a slot, in milliseconds; `undefined`: not known yet. */
  readonly serviceMs: number | undefined;
}

/** Where nothing has been measured yet. */
const ASSUMED_SERVICE_MS = 1000;

/** Value of `Retry-After`: the seconds in which what waits now will have got its slots, 1 to 60. */
export function retryAfterSeconds({ waiting, slots, serviceMs }: QueueProgress): number {
  const rounds = Math.ceil(waiting / slots);
  return retryAfterIn(rounds * (serviceMs ?? ASSUMED_SERVICE_MS));
}
