import { describe, expect, test } from "vitest";
import { convertVector, type VectorType } from "../../../src/api/answers/quantised-vectors.js";

const vector = Float32Array.of(0.5, -1, 0, 0.25, -0.25, 0.001, -0.001, 1, 1, -1);

describe("a vector as", () => {
  test.each<[VectorType, readonly number[]]>([
    ["float", [...vector]],
    ["int8", [64, -127, 0, 32, -32, 0, 0, 127, 127, -127]],
    ["uint8", [192, 1, 128, 160, 96, 128, 128, 255, 255, 1]],
    // The signs + - 0 + - + - + and + -.
    ["ubinary", [0b10010101, 0b10000000]],
    ["binary", [0b10010101 - 128, 0b10000000 - 128]],
  ])("%s", (type, expected) => {
    expect(convertVector(vector, type)).toEqual(expected);
  });

  test("base64 of 32-bit floats", () => {
    const text = convertVector(vector, "base64");
    expect(new Float32Array(new Uint8Array(Buffer.from(String(text), "base64")).buffer)).toEqual(
      vector,
    );
  });

  test.each<[VectorType, readonly number[]]>([
    ["int8", [0, 0]],
    ["uint8", [128, 128]],
    ["binary", [-128]],
  ])("%s is zero if all components are", (type, expected) => {
    expect(convertVector(new Float32Array(2), type)).toEqual(expected);
  });

  test.each<VectorType>(["float", "int8", "binary"])("%s must be finite", (type) => {
    expect(() => convertVector(Float32Array.of(1, Number.NaN), type)).toThrow("finite");
  });
});
