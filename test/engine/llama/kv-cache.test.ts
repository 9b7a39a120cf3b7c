import { describe, expect, test } from "vitest";
import {
  type CacheSizeQuestion,
  chooseCacheSize,
  kvBytesPerToken,
} from "../../../src/engine/llama/kv-cache.js";

describe("the KV cache", () => {
  const shape = { queryHeads: 9, kvHeads: [3, 3, 1], keyLength: 64, valueLength: 32 };

  test.each([
    ["f32", 7 * 96 * 4],
    ["f16", 7 * 96 * 2],
    ["q8_0", 7 * 96 * 1.0625],
    ["q4_0", 7 * 96 * 0.5625],
  ] as const)("takes in %s %d bytes a token", (type, bytes) => {
    expect(kvBytesPerToken(shape, type)).toBe(bytes);
  });
});

describe("a cache whose size nobody chose", () => {
  const choose = (fields: Partial<CacheSizeQuestion>) => {
    const { slots, contextSize } = chooseCacheSize({
      slots: undefined,
      contextSize: undefined,
      trainContextSize: 131_072,
      bytesPerToken: 1000,
      freeBytes: 1e12,
      ...fields,
    });
    return `${slots} × ${contextSize}`;
  };

  test.each<[string, Partial<CacheSizeQuestion>, string]>([
    ["has many slots of a usual length where memory abounds", {}, "16 × 4096"],
    ["has none longer than what the model has learnt", { trainContextSize: 512 }, "16 × 512"],
    [
      "takes a quarter of the free memory for more slots than usual",
      { freeBytes: 160e6 },
      "9 × 4096",
    ],
    ["takes half of it for the usual ones", { freeBytes: 32e6 }, "4 × 4000"],
    ["has fewer slots rather than useless ones", { freeBytes: 10e6 }, "2 × 2500"],
    ["is of some use whatever the memory", { freeBytes: 0 }, "1 × 256"],
    ["does not mind a model without attention", { bytesPerToken: 0 }, "16 × 4096"],
    ["has as many slots as were asked for", { slots: 8, freeBytes: 8e6 }, "8 × 500"],
    ["has slots as long as was asked for", { contextSize: 10_000, freeBytes: 300e6 }, "7 × 10000"],
    ["is what was asked for", { slots: 64, contextSize: 9000, freeBytes: 0 }, "64 × 9000"],
  ])("%s", (_, fields, size) => {
    expect(choose(fields)).toBe(size);
  });
});
