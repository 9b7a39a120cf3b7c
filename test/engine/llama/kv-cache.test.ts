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
  ] as const)("in %s takes %d bytes per token", (type, bytes) => {
    expect(kvBytesPerToken(shape, type)).toBe(bytes);
  });
});

describe("the default cache size", () => {
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
    ["has many slots of the usual length when memory is plentiful", {}, "16 × 4096"],
    [
      "does not exceed the context that the model was trained with",
      { trainContextSize: 512 },
      "16 × 512",
    ],
    [
      "uses a quarter of the free memory for more slots than usual",
      { freeBytes: 160e6 },
      "9 × 4096",
    ],
    ["uses half of it for the usual number of slots", { freeBytes: 32e6 }, "4 × 4000"],
    ["has fewer slots rather than slots that are too short", { freeBytes: 10e6 }, "2 × 2500"],
    ["has a minimum, however little memory is free", { freeBytes: 0 }, "1 × 256"],
    ["supports a model without attention", { bytesPerToken: 0 }, "16 × 4096"],
    ["has the requested number of slots", { slots: 8, freeBytes: 8e6 }, "8 × 500"],
    ["has slots of the requested length", { contextSize: 10_000, freeBytes: 300e6 }, "7 × 10000"],
    [
      "is the requested size, if both are configured",
      { slots: 64, contextSize: 9000, freeBytes: 0 },
      "64 × 9000",
    ],
  ])("%s", (_, fields, size) => {
    expect(choose(fields)).toBe(size);
  });
});
