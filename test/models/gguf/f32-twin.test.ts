import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeF32Twin } from "../../../models/gguf/f32-twin.js";
import { u32 } from "../../../models/gguf/metadata.js";
import { readGguf } from "../../../models/gguf/reader.js";
import { generateRandomModel } from "../../../models/random/generate.js";
import { temporaryFolder } from "../temporary-folder.js";
import { valuesOf } from "./tensor-values.js";

const folder = temporaryFolder();

describe.each(["q8_0", "f16", "f32"] as const)("the f32 twin of a %s model", (type) => {
  const path = join(folder, `tiny.${type}.gguf`);
  const twinPath = join(folder, `tiny.${type}.twin.gguf`);
  generateRandomModel({ shape: "tiny", type, seed: 1, path });
  writeF32Twin(path, twinPath);
  const model = readGguf(path);
  const twin = readGguf(twinPath);

  it("contains exactly the values of the model, all in f32", () => {
    expect(twin.tensors.map(({ name }) => name)).toEqual(model.tensors.map(({ name }) => name));
    expect(new Set(twin.tensors.map((tensor) => tensor.type))).toEqual(new Set(["f32"]));
    expect(twin.tensors.map(valuesOf)).toEqual(model.tensors.map(valuesOf));
  });

  it("preserves the metadata except for the file type", () => {
    const ignored = new Set(["general.file_type", "general.quantization_version"]);
    const others = (file: typeof model) => [...file.metadata].filter(([key]) => !ignored.has(key));
    expect(others(twin)).toEqual(others(model));
    expect(twin.metadata.get("general.file_type")).toEqual(u32(0));
    expect(twin.metadata.has("general.quantization_version")).toBe(false);
  });
});
