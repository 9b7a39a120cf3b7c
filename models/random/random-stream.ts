import { InputError } from "../command-line/input-error.js";

/**
 * A deterministic pseudo-random generator: xoshiro128++ (Blackman and Vigna), seeded by splitmix32
 * from a 32-bit seed. Equal seeds give equal streams on every machine.
 */
export class RandomStream {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  /** @param seed any 32-bit integer */
  constructor(seed: number) {
    const next = splitmix32(seed);
    this.#a = next();
    this.#b = next();
    this.#c = next();
    this.#d = next();
  }

  /** 32 random bits as a signed integer. */
  int32(): number {
    const sum = (this.#a + this.#d) | 0;
    const result = (((sum << 7) | (sum >>> 25)) + this.#a) | 0;
    const shifted = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= shifted;
    this.#d = (this.#d << 11) | (this.#d >>> 21);
    return result;
  }

  /**
   * Fills `values` from the normal distribution with mean 0 and standard deviation `stdDev`, by
   * Marsaglia's polar method: a random point in the unit disc gives two values; for an odd number of
   * values, the last one is discarded.
   */
  fillGaussian(values: Float32Array, stdDev: number): void {
    for (let index = 0; index < values.length; index += 2) {
      let x: number;
      let y: number;
      let square: number;
      do {
        x = this.int32() * 2 ** -31;
        y = this.int32() * 2 ** -31;
        square = x * x + y * y;
      } while (square === 0 || square >= 1);
      const factor = stdDev * Math.sqrt((-2 * Math.log(square)) / square);
      values[index] = x * factor;
      values[index + 1] = y * factor;
    }
  }
}

/** @throws InputError when the seed of a file is not an unsigned 32-bit integer */
export function assertSeed(seed: number): void {
  if (!Number.isInteger(seed) || seed < 0 || seed > 0xffff_ffff) {
    throw new InputError(`seed: expected an integer from 0 to 4294967295, got ${seed}`);
  }
}

/** Derives a 32-bit seed from `seed` and `name` (FNV-1a over both). */
export function deriveSeed(seed: number, name: string): number {
  let hash = 0x811c_9dc5;
  for (const byte of Buffer.from(`${seed}/${name}`)) {
    hash = Math.imul(hash ^ byte, 0x0100_0193);
  }
  return hash;
}

function splitmix32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e37_79b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0_aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a_2d97);
    return mixed ^ (mixed >>> 15);
  };
}
