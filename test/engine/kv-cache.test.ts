import { describe, expect, test } from "vitest";
import { chooseContextSize, kvBytesPerToken } from "../../src/engine/kv-cache.js";

describe("the KV cache", () => {
  const shape = { kvHeads: [3, 3, 1], keyLength: 64, valueLength: 32 };

  test.each([
    ["f32", 7 * 96 * 4],
    ["f16", 7 * 96 * 2],
    ["q8_0", 7 * 96 * 1.0625],
    ["q4_0", 7 * 96 * 0.5625],
  ] as const)("takes in %s %d bytes a token", (type, bytes) => {
    expect(kvBytesPerToken(shape, type)).toBe(bytes);
  });
});

describe("a context that nobody chose", () => {
  const choose = (fields: Partial<Parameters<typeof chooseContextSize>[0]>) =>
    chooseContextSize({
      trainContextSize: 131_072,
      slots: 4,
      bytesPerToken: 1000,
      freeBytes: 1e12,
      ...fields,
    });

  test.each<[string, Parameters<typeof choose>[0], number]>([
    ["is of a usual length", {}, 4096],
    ["is not longer than what the model has learnt", { trainContextSize: 512 }, 512],
    ["takes half of the free memory at most", { freeBytes: 8_000_000 }, 1000],
    ["takes less for each of more slots", { freeBytes: 8_000_000, slots: 8 }, 500],
    ["is of some use whatever the memory", { freeBytes: 0 }, 256],
    ["does not mind a model without attention", { bytesPerToken: 0 }, 4096],
  ])("%s", (_, fields, tokens) => {
    expect(choose(fields)).toBe(tokens);
  });
});
