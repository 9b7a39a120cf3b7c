import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  bitsOfTag,
  buildPartNames,
  hasTag,
  parseBaseName,
  readGgufName,
  roleOfName,
} from "../../../src/models/store/gguf-name.js";

describe("a GGUF file name", () => {
  test.each([
    ["Qwen3-8B-Q4_K_M.gguf", { prefix: "Qwen3-8B-Q4_K_M", tag: "Q4_K_M", part: 1, parts: 1 }],
    ["a/b.iq4_xs.GGUF", { prefix: "a/b.iq4_xs", tag: "IQ4_XS", part: 1, parts: 1 }],
    ["Q8_0/m-Q8_0-00002-of-00003.gguf", { prefix: "Q8_0/m-Q8_0", tag: "Q8_0", part: 2, parts: 3 }],
    ["model.gguf", { prefix: "model", tag: undefined, part: 1, parts: 1 }],
    ["v1.5/model.gguf", { prefix: "v1.5/model", tag: undefined, part: 1, parts: 1 }],
  ])("%s has the expected prefix, tag and part", (path, expected) => {
    expect(readGgufName(path)).toEqual(expected);
  });

  test.each(["model.bin", "model.gguf.part", "m-00000-of-00002.gguf", "m-00003-of-00002.gguf", ""])(
    "%j is rejected",
    (path) => {
      expect(readGgufName(path)).toBeUndefined();
    },
  );

  test("of any part yields the names of all parts, in order", () => {
    const numbers = fc.integer({ min: 1, max: 400 });
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        const [part, parts] = [Math.min(a, b), Math.max(a, b, 2)];
        const nameOf = (n: number) =>
          `x/m-Q4_0-${String(n).padStart(5, "0")}-of-${String(parts).padStart(5, "0")}.gguf`;
        const names = buildPartNames(nameOf(part));
        expect(names).toHaveLength(parts);
        expect(names[0]).toBe(nameOf(1));
        expect(names[part - 1]).toBe(nameOf(part));
      }),
    );
    expect(buildPartNames("m.gguf")).toEqual(["m.gguf"]);
  });

  test.each([
    ["mmproj-model-f16.gguf", "projector"],
    ["a/Qwen2.5-VL.mmproj-Q8_0.gguf", "projector"],
    ["mmproj/model.gguf", "model"],
    ["m.imatrix.gguf", "companion"],
    ["mtp-m-Q4_0.gguf", "companion"],
    ["m-Q4_0.gguf", "model"],
  ])("%s is a %s", (path, role) => {
    expect(roleOfName(path)).toBe(role);
  });

  test.each([
    ["m-UD-Q4_K_XL.gguf", "ud-q4_k_xl", true],
    ["m-Q4_K_M-00001-of-00002.gguf", "Q4_K_M", true],
    ["m-Q4_K_M.gguf", "Q4_K", false],
  ])("%s has the tag %s: %j", (path, tag, expected) => {
    expect(hasTag(path, tag)).toBe(expected);
  });

  test("yields the number of bits, and the base name without the quantisation", () => {
    expect(["Q4_K_M", "BF16", "IQ2_XS", "WEIGHTS", undefined].map(bitsOfTag)).toEqual([
      4, 16, 2, 0, 0,
    ]);
    expect(parseBaseName("x/Qwen3-8B-Q4_K_M-00001-of-00002.gguf")).toBe("qwen3-8b");
    expect(parseBaseName("Qwen3-8B.Q8_0.gguf")).toBe("qwen3-8b");
  });
});
