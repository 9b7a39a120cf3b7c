import assert from "node:assert/strict";
import type { ResponseEvent } from "./event-schema.js";

/**
 * Events of a background response, for any number of concurrent readers. The index of an event is
 * its `sequence_number`.
 */
export class EventLog {
  readonly #events: ResponseEvent[] = [];
  readonly #waitingReaders = new Set<() => void>();
  #state: "open" | "closed" = "open";

  /** Number of events so far, which is the `sequence_number` of the next one. */
  get length(): number {
    return this.#events.length;
  }

  /** Serialises the events, for `estimateStoredBytes`, which measures JSON. */
  toJSON(): readonly ResponseEvent[] {
    return this.#events;
  }

  append(events: readonly ResponseEvent[]): void {
    assert.equal(this.#state, "open");
    assert.equal(events[0]?.sequence_number ?? this.length, this.length);
    this.#events.push(...events);
    this.#wake();
  }

  close(): void {
    this.#state = "closed";
    this.#wake();
  }

  /**
   * Yields the events until the log is closed, waiting for later ones.
   * @param from sequence number of the first event
   * @param signal stops the reading
   */
  async *read(from: number, signal: AbortSignal): AsyncGenerator<ResponseEvent, void> {
    const wake = () => this.#wake();
    signal.addEventListener("abort", wake, { once: true });
    try {
      for (let index = from; !signal.aborted; ) {
        const event = this.#events[index];
        if (event !== undefined) {
          index++;
          yield event;
        } else if (this.#state === "closed") return;
        else await this.#waitForChange();
      }
    } finally {
      signal.removeEventListener("abort", wake);
    }
  }

  #waitForChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#waitingReaders.add(resolve);
    });
  }

  #wake(): void {
    for (const resolve of this.#waitingReaders) resolve();
    this.#waitingReaders.clear();
  }
}
