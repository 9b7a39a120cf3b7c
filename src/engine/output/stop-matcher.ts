/** Text that may leave, and whether a stop string ended it. */
export interface StopMatch {
  readonly text: string;
  readonly stopped: boolean;
}

/**
 * Finds stop strings in a stream of text pieces, however they are cut. Text that may turn out to
 * be the beginning of a stop string is held back, so that no part of one ever leaves.
 */
export class StopMatcher {
  readonly #stops: readonly string[];
  #held = "";

  constructor(stops: readonly string[]) {
    this.#stops = stops;
  }

  /** Takes a piece before stop strings count; holds back what may become one when they do. */
  pass(piece: string): string {
    return this.#release(this.#held + piece);
  }

  /** Takes the next piece; returns what may leave. */
  push(piece: string): StopMatch {
    const text = this.#held + piece;
    const end = earliestStop(text, this.#stops);
    if (end !== undefined) {
      this.#held = "";
      return { text: text.slice(0, end), stopped: true };
    }
    return { text: this.#release(text), stopped: false };
  }

  /** The generation ended otherwise: returns what was held back. */
  flush(): string {
    const text = this.#held;
    this.#held = "";
    return text;
  }

  #release(text: string): string {
    const held = longestOpenStop(text, this.#stops);
    this.#held = text.slice(text.length - held);
    return text.slice(0, text.length - held);
  }
}

/**
 * Where the stop string begins that is complete first; of several that are complete with the same
 * character, the longest. Anything else would depend on how the text is cut into pieces.
 */
function earliestStop(text: string, stops: readonly string[]): number | undefined {
  let first: { readonly start: number; readonly end: number } | undefined;
  for (const stop of stops) {
    const start = text.indexOf(stop);
    if (start < 0) continue;
    const end = start + stop.length;
    const isFirst = first === undefined || end < first.end;
    if (isFirst || (end === first?.end && start < first.start)) first = { start, end };
  }
  return first?.start;
}

/** Length of the longest end of `text` that is the beginning of a stop string. */
function longestOpenStop(text: string, stops: readonly string[]): number {
  let longest = 0;
  for (const stop of stops) {
    for (let length = Math.min(stop.length - 1, text.length); length > longest; length--) {
      if (text.endsWith(stop.slice(0, length))) longest = length;
    }
  }
  return longest;
}
