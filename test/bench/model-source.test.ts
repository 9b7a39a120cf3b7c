import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  modelFile,
  modelForms,
  parseModelSource,
  projectorFile,
} from "../../bench/model-source.js";
import { text } from "../../models/gguf/metadata.js";
import { readGguf } from "../../models/gguf/reader.js";

describe("parseModelSource", () => {
  it.each([
    ["135m", { kind: "random", shape: "135m", type: "q8_0", tokenizer: undefined }],
    ["15m+qwen2", { kind: "random", shape: "15m", type: "q8_0", tokenizer: "qwen2" }],
    ["15m-f32+qwen2", { kind: "random", shape: "15m", type: "f32", tokenizer: "qwen2" }],
    ["shipped", { kind: "shipped", type: "q8_0" }],
    ["shipped-f32", { kind: "shipped", type: "f32" }],
    ["package.json", { kind: "file", path: "package.json" }],
  ])("parses %s", (text, source) => {
    expect(parseModelSource(text, "generate")).toEqual(source);
  });

  it.each(["136m", "embed-tiny", "15m+qwen2+x", "no-such.gguf"])("rejects %s", (text) => {
    expect(() => parseModelSource(text, "generate")).toThrow(
      `--model: expected ${modelForms("generate")}, got "${text}"`,
    );
  });

  it("accepts only the shapes of the scenario's purpose", () => {
    expect(parseModelSource("embed-22m+bert-bge", "embed")).toEqual({
      kind: "random",
      shape: "embed-22m",
      type: "q8_0",
      tokenizer: "bert-bge",
    });
    expect(() => parseModelSource("embed-22m", "rerank")).toThrow(modelForms("rerank"));
    expect(() => parseModelSource("135m", "embed")).toThrow(modelForms("embed"));
  });

  it("lists only the shapes of the purpose as valid forms", () => {
    for (const shape of ["tiny", "135m", "8b", "moe-3b", "swa-4b"]) {
      expect(modelForms("generate")).toContain(` ${shape}`);
    }
    expect(modelForms("generate")).not.toMatch(/embed|rerank/);
    expect(modelForms("embed")).toMatch(/ embed-tiny, .*embed-22m/);
    expect(modelForms("embed")).not.toContain("rerank");
    expect(modelForms("rerank")).toMatch(/ rerank-tiny, .*rerank-qwen3-tiny$/);
  });
});

describe("modelFile", () => {
  it("returns an absolute path, because servers run in other working directories", () => {
    expect(modelFile({ kind: "file", path: "x.gguf" })).toBe(`${process.cwd()}/x.gguf`);
    const shipped = modelFile({ kind: "shipped", type: "q8_0" });
    expect(shipped).toMatch(/^\/.+\/models\/ggufd-mini\.gguf$/);
  });

  it("generates random models that differ only by their seed", () => {
    const source = parseModelSource("tiny-f32", "generate");
    const [one, other] = [modelFile(source), modelFile(source, 2)].map((path) => readGguf(path));
    expect(new Set(one?.tensors.map(({ type }) => type))).toEqual(new Set(["f32"]));
    const shapesOf = (file: typeof one) => file?.tensors.map(({ name, shape }) => [name, shape]);
    expect(shapesOf(other)).toEqual(shapesOf(one));
    expect(readFileSync(modelFile(source, 2))).not.toEqual(readFileSync(modelFile(source)));
  });

  it("generates an unquantised copy of the shipped model", () => {
    const path = modelFile({ kind: "shipped", type: "f32" });
    const types = new Set(readGguf(path).tensors.map(({ type }) => type));
    expect([...types]).toEqual(["f32"]);
  });
});

describe("projectorFile", () => {
  it("generates a projector that fits the model", () => {
    const { metadata } = readGguf(projectorFile(parseModelSource("tiny", "generate")));
    const model = readGguf(modelFile(parseModelSource("tiny", "generate")));
    expect(metadata.get("clip.projector_type")).toEqual(text("pixtral"));
    expect(metadata.get("clip.vision.projection_dim")).toEqual(
      model.metadata.get("llama.embedding_length"),
    );
  });

  it.each(["500m", "shipped", "package.json"])("rejects %s, which has no projector", (model) => {
    expect(() => projectorFile(parseModelSource(model, "generate"))).toThrow(
      "--model: expected a model that has a projector: tiny, 15m",
    );
  });
});
