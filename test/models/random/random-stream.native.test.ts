import { describe, expect, it } from "vitest";
import { deriveSeed, RandomStream } from "../../../models/random/random-stream.js";

function gaussians(seed: number, count: number): Float32Array {
  const values = new Float32Array(count);
  new RandomStream(seed).fillGaussian(values, 2);
  return values;
}

const mean = (values: Iterable<number>) => {
  const all = [...values];
  return all.reduce((sum, value) => sum + value, 0) / all.length;
};

describe("a random stream", () => {
  it("is the same for the same seed, and different for a different seed", () => {
    expect(gaussians(1, 100)).toEqual(gaussians(1, 100));
    expect(gaussians(1, 100)).not.toEqual(gaussians(2, 100));
  });

  it("has the moments of the requested normal distribution", () => {
    const values = gaussians(3, 200_000);
    const scaled = values.map((value) => value / 2);
    expect(mean(scaled)).toBeCloseTo(0, 1);
    expect(mean(scaled.map((value) => value ** 2))).toBeCloseTo(1, 1);
    expect(mean(scaled.map((value) => value ** 4))).toBeCloseTo(3, 0);
  });

  it("fills an odd number of values", () => {
    expect(gaussians(4, 7)).toEqual(gaussians(4, 8).subarray(0, 7));
  });

  it("derives a different seed for each name and each seed", () => {
    const seeds = [deriveSeed(1, "a"), deriveSeed(1, "b"), deriveSeed(2, "a"), deriveSeed(11, "a")];
    expect(new Set(seeds).size).toBe(seeds.length);
  });
});
