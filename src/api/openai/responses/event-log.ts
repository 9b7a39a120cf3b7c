import type { ResponseEvent } from "./event-schema.js";

/** The events of a response in the background, for any number of readers at any time. */
export class EventLog {
  readonly #events: ResponseEvent[] = [];
  readonly #waiting = new Set<() => void>();
  #state: "open" | "closed" = "open";

  /** How many events there are so far, and so the number of the next one. */
  get length(): number {
    return this.#events.length;
  }

  /** What a store measures. */
  toJSON(): readonly ResponseEvent[] {
    return this.#events;
  }

  append(events: readonly ResponseEvent[]): void {
    this.#events.push(...events);
    this.#wake();
  }

  close(): void {
    this.#state = "closed";
    this.#wake();
  }

  /**
   * The events from one of them on, up to the last one that there will be.
   * @param signal ends the reading
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
        else await this.#change();
      }
    } finally {
      signal.removeEventListener("abort", wake);
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.add(resolve);
    });
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
