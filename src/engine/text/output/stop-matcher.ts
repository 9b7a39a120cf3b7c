/** Text that can be emitted, and whether a stop string ended it. */
export interface StopMatch {
  readonly text: string;
  readonly stopped: boolean;
}

/**
 * Finds stop strings in streamed text, across chunk boundaries. Text that may be the beginning of a
 * stop string is held back, so that no part of one is ever emitted.
 */
export class StopMatcher {
  readonly #stops: readonly string[];
  #heldText = "";
  #found: string | undefined;

  constructor(stops: readonly string[]) {
    this.#stops = stops;
  }

  /** The stop string that ended the text, if one did. */
  get foundStop(): string | undefined {
    return this.#found;
  }

  /** Adds a chunk while stop strings are inactive; still holds back a possible beginning. */
  pass(chunk: string): string {
    return this.#release(this.#heldText + chunk);
  }

  /** Adds the next chunk; returns the text that can be emitted. */
  push(chunk: string): StopMatch {
    const text = this.#heldText + chunk;
    const first = findEarliestStop(text, this.#stops);
    if (first !== undefined) {
      this.#heldText = "";
      this.#found = first.stop;
      return { text: text.slice(0, first.start), stopped: true };
    }
    return { text: this.#release(text), stopped: false };
  }

  /** Ends the text and returns the text held back. */
  flush(): string {
    const text = this.#heldText;
    this.#heldText = "";
    return text;
  }

  #release(text: string): string {
    const heldLength = measureStopPrefix(text, this.#stops);
    this.#heldText = text.slice(text.length - heldLength);
    return text.slice(0, text.length - heldLength);
  }
}

/** A stop string in a text. */
interface FoundStop {
  readonly stop: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the stop string that ends first; of several that end at the same character, the longest.
 * Any other rule would depend on the chunk boundaries.
 */
function findEarliestStop(text: string, stops: readonly string[]): FoundStop | undefined {
  let first: FoundStop | undefined;
  for (const stop of stops) {
    const start = text.indexOf(stop);
    if (start < 0) continue;
    const end = start + stop.length;
    const isFirst = first === undefined || end < first.end;
    if (isFirst || (end === first?.end && start < first.start)) first = { stop, start, end };
  }
  return first;
}

/** Returns the length of the longest suffix of `text` that is a proper prefix of a stop string. */
function measureStopPrefix(text: string, stops: readonly string[]): number {
  let longest = 0;
  for (const stop of stops) {
    for (let length = Math.min(stop.length - 1, text.length); length > longest; length--) {
      if (text.endsWith(stop.slice(0, length))) longest = length;
    }
  }
  return longest;
}
