import { describe, expect, test } from "vitest";
import { groupFiles, type TreeKind } from "../../../src/models/store/group-files.js";

/** Each model's files, and its projector after a `+`. */
const grouped = (kind: TreeKind, paths: readonly string[]) =>
  groupFiles(
    kind,
    paths.map((path) => ({ path })),
  ).map(({ files, projector }) =>
    [files.map(({ path }) => path).join(" "), ...(projector ? [projector.path] : [])].join(" + "),
  );

describe("grouping the files of a folder", () => {
  test("combines all parts of a split model, and omits incomplete models", () => {
    const parts = [1, 2, 3].map((part) => `m-Q4_0-0000${part}-of-00003.gguf`);
    expect(grouped("folder", [...parts].reverse())).toEqual([parts.join(" ")]);
    expect(grouped("folder", parts.slice(0, 2))).toEqual([]);
    expect(grouped("folder", parts.slice(1))).toEqual([]);
  });

  test("creates one model per GGUF file, and ignores accompanying files", () => {
    expect(
      grouped("folder", ["a.gguf", "b/c.gguf", "m.imatrix.gguf", "readme.md", "mtp-a.gguf"]),
    ).toEqual(["a.gguf", "b/c.gguf"]);
  });

  test.each<[string, TreeKind, string[], string[]]>([
    [
      "to the only model in a folder, for any model name",
      "folder",
      ["x/gemma-Q4_0.gguf", "x/mmproj-model-f16.gguf", "y/other.gguf"],
      ["x/gemma-Q4_0.gguf + x/mmproj-model-f16.gguf", "y/other.gguf"],
    ],
    [
      "to the model with the same name, if there are several",
      "folder",
      ["gemma-Q4_0.gguf", "qwen-Q4_0.gguf", "mmproj-qwen-F16.gguf"],
      ["gemma-Q4_0.gguf", "qwen-Q4_0.gguf + mmproj-qwen-F16.gguf"],
    ],
    [
      "to all models of a repository",
      "repository",
      ["m-Q4_0.gguf", "m-UD-Q4_K_XL.gguf", "mmproj-F16.gguf"],
      ["m-Q4_0.gguf + mmproj-F16.gguf", "m-UD-Q4_K_XL.gguf + mmproj-F16.gguf"],
    ],
    [
      "by the nearest folder, then by the most similar number of bits",
      "repository",
      ["q8/m-Q8_0.gguf", "mmproj-Q8_0.gguf", "q8/mmproj-BF16.gguf", "q8/mmproj-F32.gguf"],
      ["q8/m-Q8_0.gguf + q8/mmproj-BF16.gguf"],
    ],
    [
      "to no model outside its folder",
      "repository",
      ["m-Q4_0.gguf", "vision/mmproj-F16.gguf"],
      ["m-Q4_0.gguf"],
    ],
  ])("assigns a projector %s", (_, kind, paths, expected) => {
    expect(grouped(kind, paths)).toEqual(expected);
  });

  test("completes within the test timeout for many files", () => {
    const names = Array.from({ length: 2000 }, (_, index) => `f${index % 50}/m${index}-Q4_0.gguf`);
    const projectors = Array.from(
      { length: 50 },
      (_, index) => `f${index}/mmproj-m${index}-F16.gguf`,
    );
    const models = grouped("folder", [...names, ...projectors]);
    expect(models).toHaveLength(2000);
    expect(models[7]).toBe("f7/m7-Q4_0.gguf + f7/mmproj-m7-F16.gguf");
    expect(models[57]).toBe("f7/m57-Q4_0.gguf");
  });
});
