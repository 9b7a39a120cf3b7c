import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resolveDimensions, toScore } from "../../../src/api/answers/pooling.js";
import {
  cosineSimilarity,
  normaliseVector,
  sigmoid,
  toBase64,
  toNumbers,
  toShortVector,
  toUnitLength,
} from "../../../src/api/answers/vectors.js";
import { refusal } from "../../support/refusal.js";

const component = fc.float({ min: -1e9, max: 1e9, noNaN: true });
const vectors = fc.float32Array({ minLength: 1, maxLength: 40, min: -1e9, max: 1e9, noNaN: true });

const normOf = (vector: Float32Array) => Math.hypot(...vector);

describe("toUnitLength and toShortVector", () => {
  it("scale a vector to length 1 without changing its direction", () => {
    expect(toNumbers(toUnitLength(Float32Array.of(3, 0, -4)))).toEqual(
      [0.6, 0, -0.8].map(Math.fround),
    );
    fc.assert(
      fc.property(vectors, (vector) => {
        const unit = toUnitLength(vector);
        fc.pre(normOf(vector) > 1e-30);
        expect(normOf(unit)).toBeCloseTo(1, 5);
        expect(cosineSimilarity(unit, vector)).toBeCloseTo(1, 5);
      }),
    );
  });

  it("keep the first components when fewer dimensions are requested", () => {
    const vector = Float32Array.of(3, -4, 100);
    expect(toNumbers(toShortVector(vector, 2))).toEqual([0.6, -0.8].map(Math.fround));
    expect(toNumbers(toShortVector(vector, 1))).toEqual([1]);
    expect(toNumbers(vector)).toEqual([3, -4, 100]);
  });

  it("leave a zero vector unchanged", () => {
    expect(toNumbers(toUnitLength(new Float32Array(2)))).toEqual([0, 0]);
    expect(cosineSimilarity(new Float32Array(2), Float32Array.of(1, 0))).toBe(0);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])("reject a vector that contains %d", (wrong) => {
    expect(() => toUnitLength(Float32Array.of(1, wrong))).toThrow(/must be finite/);
    expect(() => toNumbers(Float32Array.of(1, wrong))).toThrow(/must be finite/);
  });
});

describe("normaliseVector", () => {
  it.each([
    [-1, [3, -4, 0]],
    [0, [24570, -32760, 0]],
    [1, [3 / 7, -4 / 7, 0]],
    [2, [0.6, -0.8, 0]],
    [3, [3 / 91 ** (1 / 3), -4 / 91 ** (1 / 3), 0]],
    [2 ** 31 - 1, [0.75, -1, 0]],
  ])("with norm %d returns %j", (normalisation, expected) => {
    const normalised = toNumbers(normaliseVector(Float32Array.of(3, -4, 0), normalisation));
    expect(normalised).toEqual(expected.map((one) => expect.closeTo(one, 5)));
  });

  it.each([-1, 0, 1, 2, 3])("with norm %d returns a zero vector unchanged", (normalisation) => {
    expect(toNumbers(normaliseVector(new Float32Array(2), normalisation))).toEqual([0, 0]);
  });

  it.each([-1, 0, 1, 2])("with norm %d rejects an infinite component", (normalisation) => {
    const infinite = Float32Array.of(1, Number.NEGATIVE_INFINITY);
    expect(() => normaliseVector(infinite, normalisation)).toThrow(/must be finite/);
  });
});

it("toBase64 encodes only the viewed components, in little-endian order", () => {
  expect(toBase64(Float32Array.of(1))).toBe(Buffer.from([0, 0, 0x80, 0x3f]).toString("base64"));
  const middle = Float32Array.of(9, 1, 9).subarray(1, 2);
  expect(toBase64(middle)).toBe(toBase64(Float32Array.of(1)));
});

it("cosineSimilarity is clamped to the range from -1 to 1", () => {
  expect(cosineSimilarity(Float32Array.of(1, 0), Float32Array.of(0, 2))).toBe(0);
  expect(cosineSimilarity(Float32Array.of(1, 2), Float32Array.of(-2, -4))).toBeCloseTo(-1, 9);
  fc.assert(
    fc.property(fc.array(fc.tuple(component, component), { minLength: 1 }), (pairs) => {
      const cosine = cosineSimilarity(
        Float32Array.from(pairs, ([one]) => one),
        Float32Array.from(pairs, ([, other]) => other),
      );
      expect(Math.abs(cosine)).toBeLessThanOrEqual(1);
    }),
  );
});

it("sigmoid converts a logit into a probability", () => {
  expect(sigmoid(0)).toBe(0.5);
  expect(sigmoid(-1000)).toBe(0);
  expect(sigmoid(1000)).toBe(1);
  expect(sigmoid(2) + sigmoid(-2)).toBeCloseTo(1, 12);
});

describe("toScore", () => {
  it.each([
    ["logit", "probability", 0.5],
    ["logit", "as-computed", 0],
    ["probability", "probability", 0],
    ["probability", "as-computed", 0],
  ] as const)("converts a %s to the form %s", (scoreScale, form, expected) => {
    expect(toScore(Float32Array.of(0), { scoreScale }, form)).toBe(expected);
  });

  it.each([[[]], [[1, 2]], [[Number.NaN]]])(
    "rejects %j, which is not one finite number",
    (components) => {
      const vector = Float32Array.from(components);
      expect(() => toScore(vector, { scoreScale: "logit" }, "probability")).toThrow(/one finite/);
    },
  );
});

it("resolveDimensions rejects more dimensions than the model has", () => {
  expect(resolveDimensions({ dimensions: 4 }, undefined)).toBe(4);
  expect(resolveDimensions({ dimensions: 4 }, 4)).toBe(4);
  expect(refusal(() => resolveDimensions({ dimensions: 4 }, 5))).toMatchObject({
    code: "invalid_request",
    param: "dimensions",
    message: "dimensions: expected an integer from 1 to 4, the dimensions of this model, got 5.",
  });
});
