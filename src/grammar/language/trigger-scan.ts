import assert from "node:assert/strict";

/** Result of scanning a byte: the next state, or a complete trigger. */
export type ScanStep = number | "trigger";

/**
 * Searches for the first of several texts, byte by byte (Aho and Corasick 1975). States are
 * numbers; the initial state is 0.
 */
export class TriggerScan {
  /** Control tokens that are triggers too. */
  readonly tokens: ReadonlySet<number>;
  /** Bytes of the texts; any other byte leads back to the initial state. */
  readonly bytes: Uint8Array;
  readonly #children: Map<number, number>[] = [new Map()];
  readonly #fallback: number[] = [0];
  readonly #isTrigger: boolean[] = [false];

  constructor(texts: readonly Uint8Array[], tokens: ReadonlySet<number>) {
    for (const { length } of texts) assert(length > 0, "a trigger must not be empty");
    this.tokens = tokens;
    this.bytes = Buffer.concat(texts);
    for (const text of texts) this.#insert(text);
    this.#linkFallbacks();
  }

  step(state: number, byte: number): ScanStep {
    let current = state;
    let next = this.#children[current]?.get(byte);
    while (next === undefined && current !== 0) {
      current = this.#fallback[current] ?? 0;
      next = this.#children[current]?.get(byte);
    }
    if (next === undefined) return 0;
    return this.#isTrigger[next] ? "trigger" : next;
  }

  #insert(text: Uint8Array): void {
    let state = 0;
    for (const byte of text) {
      const children = this.#children[state];
      let child = children?.get(byte);
      if (child === undefined) {
        child = this.#children.push(new Map()) - 1;
        this.#fallback.push(0);
        this.#isTrigger.push(false);
        children?.set(byte, child);
      }
      state = child;
    }
    this.#isTrigger[state] = true;
  }

  /** Computes the fallbacks breadth first, as the fallback of a state is shorter than the state. */
  #linkFallbacks(): void {
    const queue = [...(this.#children[0]?.values() ?? [])];
    for (const state of queue) {
      for (const [byte, child] of this.#children[state] ?? []) {
        const next = this.#findNext(this.#fallback[state] ?? 0, byte);
        this.#fallback[child] = next;
        this.#isTrigger[child] ||= this.#isTrigger[next] ?? false;
        queue.push(child);
      }
    }
  }

  #findNext(state: number, byte: number): number {
    let current = state;
    for (;;) {
      const next = this.#children[current]?.get(byte);
      if (next !== undefined) return next;
      if (current === 0) return 0;
      current = this.#fallback[current] ?? 0;
    }
  }
}
