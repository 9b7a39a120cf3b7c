import { describe, expect, test } from "vitest";
import {
  computeKvBytesPerToken,
  describeKvCacheTypes,
} from "../../../src/engine/native/kv-cache.js";

describe("the KV cache", () => {
  const shape = { queryHeads: 9, kvHeads: [3, 3, 1], keyLength: 64, valueLength: 32 };

  test.each([
    ["f32", 7 * 96 * 4],
    ["f16", 7 * 96 * 2],
    ["q8_0", 7 * 96 * 1.0625],
    ["q4_0", 7 * 96 * 0.5625],
  ] as const)("in %s takes %d bytes per token", (type, bytes) => {
    expect(computeKvBytesPerToken(shape, { keys: type, values: type })).toBe(bytes);
  });

  test("takes the memory of keys and values in their separate types", () => {
    const types = { keys: "q8_0", values: "f16" } as const;
    expect(computeKvBytesPerToken(shape, types)).toBe(7 * (64 * 1.0625 + 32 * 2));
    expect(describeKvCacheTypes(types)).toBe("q8_0/f16");
    expect(describeKvCacheTypes({ keys: "f16", values: "f16" })).toBe("f16");
  });
});
