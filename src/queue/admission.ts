import assert from "node:assert/strict";
import { GgufdError, toRetryAfterSeconds } from "../core/errors.js";

/** Amount of queued work, or its limit. */
export interface QueueLoad {
  readonly requests: number;
  readonly promptTokens: number;
}

export interface AdmissionInput {
  /** Prompt lengths of the new request's generations, in tokens; each generation takes a slot. */
  readonly promptTokens: readonly number[];
  /**
   * Prompt lengths of the generations that are queued ahead and have no slot yet, in order, in
   * tokens.
   */
  readonly ahead: readonly number[];
  readonly freeSlots: number;
  readonly slots: number;
  readonly limits: QueueLoad;
  /**
   * Average time that a generation occupies a slot, in milliseconds; `undefined` until a generation
   * has finished.
   */
  readonly serviceMs: number | undefined;
}

/**
 * Admission control: decides whether a request may run or wait, with all of its generations.
 * @throws {GgufdError} `server_overloaded`, with the number of waiting requests and a `Retry-After`
 */
export function admit(input: AdmissionInput): void {
  const { promptTokens, ahead, freeSlots, slots, limits, serviceMs } = input;
  assert(promptTokens.length > 0, "a request has at least one generation");
  assert(freeSlots >= 0 && freeSlots <= slots, `${freeSlots} of ${slots} slots are free`);
  const queuedPrompts = promptTokens.slice(Math.max(0, freeSlots - ahead.length));
  if (queuedPrompts.length === 0) return;
  const waitingLoad = computeLoad(ahead.slice(freeSlots));
  const ownLoad = computeLoad(queuedPrompts);
  const exceedsRequests = waitingLoad.requests + ownLoad.requests > limits.requests;
  // An empty queue admits any prompt: each prompt that fits into a slot can be served.
  const exceedsTokens =
    waitingLoad.requests > 0 &&
    waitingLoad.promptTokens + ownLoad.promptTokens > limits.promptTokens;
  if (!exceedsRequests && !exceedsTokens) return;
  const ownChoices =
    promptTokens.length > 1 ? `, and this request would add ${queuedPrompts.length} choices` : "";
  const reason = exceedsRequests
    ? `${waitingLoad.requests} requests are already waiting${ownChoices} (at most ${limits.requests} allowed)`
    : `${waitingLoad.promptTokens} prompt tokens are already waiting (at most ${limits.promptTokens} allowed)`;
  throw new GgufdError("server_overloaded", `The server is overloaded: ${reason}.`, {
    retryAfterSeconds: computeRetryAfterSeconds({
      waiting: waitingLoad.requests,
      slots,
      serviceMs,
    }),
  });
}

function computeLoad(promptTokens: readonly number[]): QueueLoad {
  return {
    requests: promptTokens.length,
    promptTokens: promptTokens.reduce((sum, tokens) => sum + tokens, 0),
  };
}

export interface QueueProgress {
  /** Number of requests that wait for a slot. */
  readonly waiting: number;
  readonly slots: number;
  /** Average time that a request occupies a slot, in milliseconds; `undefined`: not known yet. */
  readonly serviceMs: number | undefined;
}

/** Service time assumed before the first measurement. */
const ASSUMED_SERVICE_MS = 1000;

/**
 * Computes the value of `Retry-After`: the seconds until all currently waiting requests should have
 * a slot, 1 to 60.
 */
export function computeRetryAfterSeconds({ waiting, slots, serviceMs }: QueueProgress): number {
  const rounds = Math.ceil(waiting / slots);
  return toRetryAfterSeconds(rounds * (serviceMs ?? ASSUMED_SERVICE_MS));
}
