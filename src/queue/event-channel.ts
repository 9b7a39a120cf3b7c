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
  #wake: (() => void) | undefined;

  constructor(choices: number) {
    this.#openChoices = choices;
  }

  push(event: ChoiceEvent): void {
    this.#events.push(event);
    this.#wake?.();
    this.#wake = undefined;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ChoiceEvent, void> {
    while (true) {
      for (const choiceEvent of this.#events.splice(0)) {
        yield choiceEvent;
        if (isFinal(choiceEvent.event) && --this.#openChoices === 0) return;
      }
      if (this.#events.length > 0) continue;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
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
