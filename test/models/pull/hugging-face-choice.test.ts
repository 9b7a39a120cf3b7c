import { describe, expect, test } from "vitest";
import { chooseFiles } from "../../../src/models/pull/hugging-face-choice.js";
import type { FileSelection } from "../../../src/models/pull/pull-source.js";

function chosen(paths: readonly string[], selection: FileSelection = { by: "default" }) {
  const files = paths.map((path) => ({ path }));
  const { parts, projector } = chooseFiles("u/r", files, selection);
  return [...parts.map(({ path }) => path), ...(projector ? [`+ ${projector.path}`] : [])];
}

const tag = (name: string): FileSelection => ({ by: "tag", tag: name });
const parts = [1, 2].map((part) => `Q8_0/m-Q8_0-0000${part}-of-00002.gguf`);

describe("choosing the files of a repository", () => {
  test.each<[string, string[], FileSelection | undefined, string[]]>([
    [
      "prefers Q4_K_M",
      ["m-Q2_K.gguf", "m-Q4_K_M.gguf", "m-Q8_0.gguf"],
      undefined,
      ["m-Q4_K_M.gguf"],
    ],
    ["prefers Q8_0 if there is no Q4_K_M", ["m-F16.gguf", ...parts], undefined, parts],
    ["chooses any model rather than none", ["imatrix.gguf", "m.gguf"], undefined, ["m.gguf"]],
    [
      "matches a tag as one word of the file name",
      ["m-BF16.gguf", "m-F16.gguf"],
      tag("f16"),
      ["m-F16.gguf"],
    ],
    [
      "matches a tag of several words",
      ["m-Q4_K_XL.gguf", "m-UD-Q4_K_XL.gguf"],
      tag("UD-Q4_K_XL"),
      ["m-UD-Q4_K_XL.gguf"],
    ],
    [
      "chooses all parts of a split model",
      ["m-Q4_0.gguf", ...parts.toReversed()],
      tag("Q8_0"),
      parts,
    ],
    ["chooses all parts if one part is named", parts, { by: "file", file: parts[1] ?? "" }, parts],
    [
      "includes a projector",
      ["mmproj-F16.gguf", "mmproj-Q8_0.gguf", "m-Q4_K_M.gguf"],
      undefined,
      ["m-Q4_K_M.gguf", "+ mmproj-Q8_0.gguf"],
    ],
    [
      "chooses a named file and includes a projector",
      ["mmproj-F16.gguf", "q/x.gguf"],
      { by: "file", file: "q/x.gguf" },
      ["q/x.gguf", "+ mmproj-F16.gguf"],
    ],
  ])("%s", (_, paths, selection, expected) => {
    expect(chosen(paths, selection)).toEqual(expected);
  });

  test.each<[string[], FileSelection | undefined, string]>([
    [["README.md"], undefined, "u/r: expected a repository with GGUF files, got one without"],
    [
      ["a-Q4_0.gguf", "b-Q8_0.gguf"],
      tag("Q5_0"),
      "u/r: expected a file with Q5_0, got a-Q4_0.gguf, b-Q8_0.gguf",
    ],
    [["a.gguf"], { by: "file", file: "b.gguf" }, "u/r: expected b.gguf, got a.gguf"],
    [
      parts.slice(0, 1),
      undefined,
      `u/r: expected all parts of ${parts[0]}, got none at ${parts[1]}`,
    ],
  ])("from %j fails for %j", (paths, selection, reason) => {
    expect(() => chosen(paths, selection)).toThrow(reason);
  });
});
