import fc from "fast-check";
import { expect, it } from "vitest";
import { estimateStoredBytes } from "../../src/core/stored-bytes.js";

const text = fc.string({ unit: fc.constantFrom("a", "é", "🙂", " ") });
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    ...[text, fc.integer(), fc.boolean(), fc.constant(null)],
    fc.array(tie("value")),
    fc.dictionary(text, tie("value")),
  ),
}));

it("the measured size approximates the length of the JSON", () => {
  fc.assert(
    fc.property(fc.array(anyValue), (value) => {
      const bytes = Buffer.byteLength(JSON.stringify(value));
      expect(estimateStoredBytes(value)).toBeGreaterThanOrEqual(bytes / 3);
      expect(estimateStoredBytes(value)).toBeLessThanOrEqual(8 * bytes);
    }),
  );
});

it("undefined members have size 0, and objects with toJSON have the size of its result", () => {
  expect(estimateStoredBytes({ a: undefined })).toBe(estimateStoredBytes({}));
  const printed = { toJSON: () => ["x".repeat(100)] };
  expect(estimateStoredBytes({ a: printed })).toBe(estimateStoredBytes({ a: ["x".repeat(100)] }));
});
