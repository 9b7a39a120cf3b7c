import assert from "node:assert/strict";
import type { GenerationConstraint } from "../../../src/engine/constraints/grammar-progress.js";

const LETTERS = 26;
/** Any letter, in a pattern. */
const ANY = "?".charCodeAt(0) - 0x61;

/** Simulated texts of a pattern: letters stand for themselves, `?` for any of them. */
export class PatternConstraint implements GenerationConstraint {
  readonly #pattern: readonly number[];
  #position = 0;

  constructor(pattern: string) {
    this.#pattern = [...pattern].map((letter) => letter.charCodeAt(0) - 0x61);
  }

  get isComplete(): boolean {
    return this.#position === this.#pattern.length;
  }

  allows(token: number): boolean {
    const wanted = this.#pattern[this.#position];
    return wanted === ANY ? token >= 0 && token < LETTERS : token === wanted;
  }

  allowedTokens(): Uint32Array {
    const bits = Array.from({ length: 32 }, (_, token) => (this.allows(token) ? 1 << token : 0));
    return Uint32Array.of(bits.reduce((mask, bit) => mask | bit, 0));
  }

  accept(token: number): void {
    assert(this.allows(token), `token ${token} at ${this.#position} of a pattern`);
    this.#position++;
  }

  forcedTokens(maxTokens: number): readonly number[] {
    const rest = this.#pattern.slice(this.#position);
    const free = rest.indexOf(ANY);
    return rest.slice(0, Math.min(maxTokens, free < 0 ? rest.length : free));
  }
}
