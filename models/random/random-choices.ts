/** A seeded pseudo-random generator (mulberry32); the same seed always gives the same choices. */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** A number in [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** An integer in [min, max]. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  /** True with probability p. */
  chance(p: number): boolean {
    return this.next() < p;
  }

  /** One element of a non-empty list. */
  pick<T>(items: readonly T[]): T {
    const item = items[this.int(0, items.length - 1)];
    if (item === undefined) throw new RangeError("pick needs a non-empty list");
    return item;
  }

  /** At most `count` elements at different indices, in random order. */
  sample<T>(items: readonly T[], count: number): T[] {
    const pool = [...items];
    const sampled: T[] = [];
    while (sampled.length < count && pool.length > 0) {
      sampled.push(...pool.splice(this.int(0, pool.length - 1), 1));
    }
    return sampled;
  }

  /** One element, with a probability proportional to its weight. */
  weighted<T>(items: readonly (readonly [weight: number, item: T])[]): T {
    const total = items.reduce((sum, [weight]) => sum + weight, 0);
    let remainingWeight = this.next() * total;
    for (const [weight, item] of items) {
      remainingWeight -= weight;
      if (remainingWeight < 0) return item;
    }
    throw new RangeError("weighted needs a positive total");
  }
}
