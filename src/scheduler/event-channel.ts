import { type GenerationEvent, isFinal } from "../core/generation-event.js";

/**
 * Buffers events between an engine that never blocks and a slower consumer. The buffer is bounded
 * by the generation's token limit.
 */
export class EventChannel implements AsyncIterable<GenerationEvent> {
  readonly #events: GenerationEvent[] = [];
  #wake: (() => void) | undefined;

  push(event: GenerationEvent): void {
    this.#events.push(event);
    this.#wake?.();
    this.#wake = undefined;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<GenerationEvent, void> {
    while (true) {
      for (const event of this.#events.splice(0)) {
        yield event;
        if (isFinal(event)) return;
      }
      if (this.#events.length > 0) continue;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
