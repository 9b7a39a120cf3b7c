import { describe, expect, it } from "vitest";
import { MODEL_FORMS, modelFile, parseModelSource } from "../../bench/model-source.js";

describe("parseModelSource", () => {
  it.each([
    ["135m", { kind: "random", shape: "135m", tokenizer: undefined }],
    ["15m+qwen2", { kind: "random", shape: "15m", tokenizer: "qwen2" }],
    ["shipped", { kind: "shipped" }],
    ["package.json", { kind: "file", path: "package.json" }],
  ])("parses %s", (text, source) => {
    expect(parseModelSource(text)).toEqual(source);
  });

  it.each(["136m", "embed-tiny", "15m+qwen2+x", "no-such.gguf"])("rejects %s", (text) => {
    expect(() => parseModelSource(text)).toThrow(`--model: expected ${MODEL_FORMS}, got "${text}"`);
  });

  it("names the shapes that generate text", () => {
    for (const shape of ["tiny", "135m", "8b", "moe-3b", "swa-4b"]) {
      expect(MODEL_FORMS).toContain(` ${shape}`);
    }
    expect(MODEL_FORMS).not.toContain("embed");
  });
});

describe("modelFile", () => {
  it("returns an absolute path, because servers have other working directories", () => {
    expect(modelFile({ kind: "file", path: "x.gguf" })).toBe(`${process.cwd()}/x.gguf`);
    expect(modelFile({ kind: "shipped" })).toMatch(/^\/.+\/models\/ggufd-mini\.gguf$/);
  });
});
