import { GgufdError, toClientError } from "../core/errors.js";
import type { GenerationEvent } from "../core/generation-event.js";

/** The last event of what an error has ended. An aborted signal explains any error. */
export function lastEventOf(error: unknown, signal: AbortSignal): GenerationEvent {
  return signal.aborted ? abortEvent(signal) : { type: "failed", error: toClientError(error) };
}

/** The last event of what was aborted: a failure if its client is to be told why. */
export function abortEvent({ reason }: AbortSignal): GenerationEvent {
  return reason instanceof GgufdError ? { type: "failed", error: reason } : { type: "cancelled" };
}
