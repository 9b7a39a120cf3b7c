import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type CacheSize,
  type CacheSizeInput,
  chooseCacheSize,
} from "../../../src/engine/memory/cache-size.js";

interface Memory extends Partial<Omit<CacheSizeInput, "fits">> {
  readonly bytesPerToken?: number;
  /** Size of compute buffers for any cache size. */
  readonly bufferBytes?: number;
  readonly freeBytes: number;
}

const bytesOf = ({ bytesPerToken = 1000, bufferBytes = 0 }: Memory, size: CacheSize) =>
  size.slots * size.contextSize * bytesPerToken + bufferBytes;

function choose(memory: Memory): Promise<CacheSize> {
  return chooseCacheSize({
    slots: memory.slots,
    contextSize: memory.contextSize,
    trainContextSize: memory.trainContextSize ?? 131_072,
    fits: async (size) => bytesOf(memory, size) <= memory.freeBytes,
  });
}

describe("the default cache size", () => {
  test.each<[string, Memory, string]>([
    [
      "has many slots with a long context if memory is plentiful",
      { freeBytes: 1e12 },
      "16 × 32768",
    ],
    [
      "does not exceed the context that the model was trained with",
      { freeBytes: 1e12, trainContextSize: 512 },
      "16 × 512",
    ],
    [
      "has more than four slots if they fit with the whole context",
      { freeBytes: 250e6 },
      "7 × 32768",
    ],
    ["has four slots with as long a context as fits", { freeBytes: 80e6 }, "4 × 19968"],
    ["has fewer slots if four would have less than 8,192 tokens", { freeBytes: 30e6 }, "3 × 9984"],
    ["has one slot if two would be too short", { freeBytes: 10e6 }, "1 × 9984"],
    ["has one short slot if little memory is free", { freeBytes: 3e6 }, "1 × 2816"],
    ["has a minimum if no memory is free", { freeBytes: 0 }, "1 × 256"],
    ["leaves memory for compute buffers", { freeBytes: 80e6, bufferBytes: 40e6 }, "4 × 9984"],
    ["supports a model without attention", { freeBytes: 1e9, bytesPerToken: 0 }, "16 × 32768"],
    ["has the requested number of slots", { slots: 8, freeBytes: 8e6 }, "8 × 768"],
    ["has slots of the requested length", { contextSize: 10_000, freeBytes: 75e6 }, "7 × 10000"],
    [
      "has one slot of the requested length if only one fits",
      { contextSize: 131_072, freeBytes: 60e6 },
      "1 × 131072",
    ],
    [
      "is the requested size, if both are configured",
      { slots: 64, contextSize: 9000, freeBytes: 0 },
      "64 × 9000",
    ],
  ])("%s", async (_, memory, size) => {
    const { slots, contextSize } = await choose(memory);
    expect(`${slots} × ${contextSize}`).toBe(size);
  });

  test("is one slot of 131,072 tokens at 128 KiB each with 20 GiB, and three with 60 GiB", async () => {
    const question = { contextSize: 131_072, bytesPerToken: 128 * 1024 };
    expect(await choose({ ...question, freeBytes: 20 * 2 ** 30 })).toMatchObject({ slots: 1 });
    expect(await choose({ ...question, freeBytes: 60 * 2 ** 30 })).toMatchObject({ slots: 3 });
  });

  test("fits whenever a useful size fits, and uses most of the memory", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          freeBytes: fc.integer({ min: 300_000, max: 100_000_000_000 }),
          bytesPerToken: fc.integer({ min: 1, max: 400_000 }),
          bufferBytes: fc.integer({ min: 0, max: 1_000_000_000 }),
          trainContextSize: fc.constantFrom(512, 2048, 8192, 32_768, 131_072),
        }),
        async (memory) => {
          const size = await choose(memory);
          const smallest = { slots: 1, contextSize: Math.min(256, memory.trainContextSize) };
          if (bytesOf(memory, smallest) > memory.freeBytes) {
            expect(size).toEqual(smallest);
            return;
          }
          expect(bytesOf(memory, size)).toBeLessThanOrEqual(memory.freeBytes);
          const { slots, contextSize } = size;
          const isLongest = contextSize === Math.min(32_768, memory.trainContextSize);
          const longer = { slots, contextSize: contextSize + 256 };
          if (!isLongest) expect(bytesOf(memory, longer)).toBeGreaterThan(memory.freeBytes);
          else if (slots < 16) {
            const more = { slots: slots + 1, contextSize };
            expect(bytesOf(memory, more)).toBeGreaterThan(memory.freeBytes);
          }
        },
      ),
    );
  });
});
