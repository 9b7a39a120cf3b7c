import type { Choose } from "./power-failure.js";

/** Deterministic pseudo-random numbers from a seed (mulberry32). */
export function randomChoice(seed: number): Choose {
  let state = seed;
  return (possibilities) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % possibilities;
  };
}
