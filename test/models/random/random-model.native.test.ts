import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { text } from "../../../models/gguf/metadata.js";
import { readGguf } from "../../../models/gguf/reader.js";
import { generateRandomModel } from "../../../models/random/generate.js";
import type { ShapeName } from "../../../models/random/shapes.js";
import { valuesOf } from "../gguf/tensor-values.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();

function generate(
  name: string,
  options: { shape?: ShapeName; type?: "f32" | "q8_0"; seed?: number },
) {
  const path = join(folder, name);
  const defaults = { shape: "tiny", type: "f32", seed: 1 } as const;
  return generateRandomModel({ ...defaults, ...options, path });
}

describe("a random model", () => {
  it("has the same bytes for the same options, and different bytes for a different seed", () => {
    const [one, two, other] = [
      generate("one.gguf", {}),
      generate("two.gguf", {}),
      generate("other.gguf", { seed: 2 }),
    ].map(({ path }) => readFileSync(path));
    expect(one?.equals(two ?? Buffer.alloc(0))).toBe(true);
    expect(one?.equals(other ?? Buffer.alloc(0))).toBe(false);
  });

  it("of a tiny shape is generated in less than a second", () => {
    const start = performance.now();
    generate("quick.gguf", {});
    expect(performance.now() - start).toBeLessThan(1000);
  });

  it("has the same weights in every type, up to rounding", () => {
    const [exact, rounded] = [
      generate("exact.gguf", { type: "f32" }),
      generate("rounded.gguf", { type: "q8_0" }),
    ].map(({ path }) => readGguf(path).tensors.flatMap(valuesOf));
    const maxMagnitude = Math.max(...(exact ?? []).map(Math.abs));
    const differences = (exact ?? []).map((value, index) => value - (rounded?.[index] ?? NaN));
    expect(Math.max(...differences.map(Math.abs))).toBeLessThan(maxMagnitude / 127);
  });

  it("has its author, licence and size in its metadata", () => {
    const { path, parameters, sizeBytes } = generate("described.gguf", {});
    const { metadata } = readGguf(path);
    expect(metadata.get("general.architecture")).toEqual(text("llama"));
    expect(metadata.get("general.author")).toEqual(text("ggufd"));
    expect(metadata.get("general.license")).toEqual(text("MIT"));
    expect(metadata.get("general.size_label")).toEqual(text("107K"));
    expect(parameters).toBe(106_816);
    expect(sizeBytes).toBe(readFileSync(path).length);
  });

  it("rejects a seed that is not an unsigned 32-bit integer", () => {
    expect(() => generate("bad.gguf", { seed: -1 })).toThrow("seed: expected an integer from 0");
    expect(() => generate("bad.gguf", { seed: 0.5 })).toThrow("got 0.5");
  });

  it("rejects a tokenizer that does not exist", () => {
    const options = {
      shape: "tiny",
      type: "f32",
      seed: 1,
      path: join(folder, "bad.gguf"),
    } as const;
    expect(() => generateRandomModel({ ...options, tokenizer: "none" })).toThrow(
      /tokenizer: expected one of .*qwen2.*, got none/,
    );
  });
});
