import { GgufdError, toClientError } from "../core/errors.js";
import { type ChoiceEvent, type GenerationEvent, isFinal } from "../core/generation-event.js";

/**
 * Buffers the events of a request's choices, in the order in which they come, between an engine that
 * never blocks and a slower consumer. The buffer is bounded by the generations' token limits.
 */
export class EventChannel implements AsyncIterable<ChoiceEvent> {
  readonly #events: ChoiceEvent[] = [];
  /** Choices whose last event has not been consumed. */
  #openChoices: number;
  /** The consumer, while it waits for an event. */
  #deliver: ((result: IteratorResult<ChoiceEvent, void>) => void) | undefined;

  constructor(choices: number) {
    this.#openChoices = choices;
  }

  push(event: ChoiceEvent): void {
    const deliver = this.#deliver;
    this.#deliver = undefined;
    if (deliver === undefined) this.#events.push(event);
    else deliver(this.#consumed(event));
  }

  /** An iterator rather than a generator: with each token, that would be two promises more. */
  [Symbol.asyncIterator](): AsyncIterator<ChoiceEvent, void> {
    return { next: () => this.#next() };
  }

  #next(): Promise<IteratorResult<ChoiceEvent, void>> {
    if (this.#openChoices === 0) return Promise.resolve({ done: true, value: undefined });
    const event = this.#events.shift();
    if (event !== undefined) return Promise.resolve(this.#consumed(event));
    return new Promise((resolve) => {
      this.#deliver = resolve;
    });
  }

  #consumed(value: ChoiceEvent): IteratorResult<ChoiceEvent, void> {
    if (isFinal(value.event)) this.#openChoices--;
    return { done: false, value };
  }
}

/** The last event of what an error has ended. An aborted signal explains any error. */
export function lastEventOf(error: unknown, signal: AbortSignal): GenerationEvent {
  return signal.aborted ? abortEvent(signal) : { type: "failed", error: toClientError(error) };
}

/** The last event of what was aborted: a failure if its client is to be told why. */
export function abortEvent({ reason }: AbortSignal): GenerationEvent {
  return reason instanceof GgufdError ? { type: "failed", error: reason } : { type: "cancelled" };
}
