import { GgufdError, toClientError } from "../core/errors.js";
import { type ChoiceEvent, type GenerationEvent, isFinal } from "../core/generation-event.js";

/**
 * Buffers the events of a request's choices, in order of arrival, between an engine that never
 * blocks and a slower consumer. The buffer is bounded by the generations' token limits.
 */
export class EventChannel implements AsyncIterable<ChoiceEvent> {
  readonly #events: ChoiceEvent[] = [];
  /** Number of choices whose last event has not been consumed. */
  #openChoices: number;
  /** Resolves the consumer's pending `next()`, if there is one. */
  #deliver: ((result: IteratorResult<ChoiceEvent, void>) => void) | undefined;

  constructor(choices: number) {
    this.#openChoices = choices;
  }

  push(event: ChoiceEvent): void {
    const deliver = this.#deliver;
    this.#deliver = undefined;
    if (deliver === undefined) this.#events.push(event);
    else deliver(this.#consume(event));
  }

  /** A plain iterator, because a generator would create two more promises per token. */
  [Symbol.asyncIterator](): AsyncIterator<ChoiceEvent, void> {
    return { next: () => this.#next() };
  }

  #next(): Promise<IteratorResult<ChoiceEvent, void>> {
    if (this.#openChoices === 0) return Promise.resolve({ done: true, value: undefined });
    const event = this.#events.shift();
    if (event !== undefined) return Promise.resolve(this.#consume(event));
    return new Promise((resolve) => {
      this.#deliver = resolve;
    });
  }

  #consume(value: ChoiceEvent): IteratorResult<ChoiceEvent, void> {
    if (isFinal(value.event)) this.#openChoices--;
    return { done: false, value };
  }
}

/**
 * Returns the last event of a generation that ended with an error. If the signal is aborted, its
 * reason takes precedence over the error.
 */
export function createLastEvent(error: unknown, signal: AbortSignal): GenerationEvent {
  return signal.aborted
    ? createAbortEvent(signal)
    : { type: "failed", error: toClientError(error) };
}

/**
 * Returns the last event of an aborted generation: `failed` if the reason is an error for the
 * client, else `cancelled`.
 */
export function createAbortEvent({ reason }: AbortSignal): GenerationEvent {
  return reason instanceof GgufdError ? { type: "failed", error: reason } : { type: "cancelled" };
}
