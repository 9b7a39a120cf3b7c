import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { elementCount, type GgufContent, parameterCount } from "../../../models/gguf/content.js";
import { bool, text, u32 } from "../../../models/gguf/metadata.js";
import { randomModelContent } from "../../../models/random/generate.js";
import {
  generateRandomProjector,
  randomProjectorContent,
} from "../../../models/random/projector.js";
import { type ProjectorName, projectorShapes } from "../../../models/random/projector-shapes.js";
import { valuesOf } from "../gguf/tensor-values.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();

const names = Object.keys(projectorShapes) as ProjectorName[];

function contentOf(shape: ProjectorName, seed = 1): GgufContent {
  return randomProjectorContent({ shape, type: "q8_0", seed });
}

function tensorOf(content: GgufContent, name: string) {
  return content.tensors.find((tensor) => tensor.name === name);
}

function standardDeviation(values: readonly number[]): number {
  return Math.sqrt(values.reduce((sum, value) => sum + value ** 2, 0) / values.length);
}

describe.each(names.filter((name) => name.endsWith("-tiny")))("the projector %s", (shape) => {
  it("is small, and has the same bytes for the same options", () => {
    const write = (name: string, seed: number) => {
      const path = join(folder, `${shape}.${name}.gguf`);
      const { sizeBytes } = generateRandomProjector({ shape, type: "f32", seed, path });
      const bytes = readFileSync(path);
      expect(sizeBytes).toBe(bytes.length);
      return bytes;
    };
    const one = write("one", 1);
    expect(one.length).toBeLessThan(1e6);
    expect(one.equals(write("two", 1))).toBe(true);
    expect(one.equals(write("other", 2))).toBe(false);
  });
});

it("a projector for benchmarks has the size of a real encoder", () => {
  const parameters = parameterCount(contentOf("pixtral-projector-15m").tensors);
  expect(parameters / 1e6).toBeCloseTo(41.5, 1);
});

describe.each(names)("the projector %s", (shape) => {
  it("has the metadata of a projector of its type", () => {
    const { metadata } = contentOf(shape);
    expect(metadata.get("general.architecture")).toEqual(text("clip"));
    expect(metadata.get("general.type")).toEqual(text("mmproj"));
    expect(metadata.get("clip.projector_type")).toEqual(text(projectorShapes[shape].projector));
    expect([...metadata.keys()].filter((key) => key.startsWith("tokenizer."))).toEqual([]);
  });

  it("has outputs of the same size as the text model's embeddings", () => {
    const { textModel } = projectorShapes[shape];
    const { metadata } = randomModelContent({ shape: textModel, type: "q8_0", seed: 1 });
    const embeddingLength = [...metadata].find(([key]) => key.endsWith(".embedding_length"))?.[1];
    const projection = [...contentOf(shape).metadata].find(([key]) =>
      key.endsWith(".projection_dim"),
    );
    expect(projection?.[1]).toEqual(embeddingLength);
  });

  it("stores tensors that llama.cpp adds or convolves in f32, and matrices in the requested type", () => {
    for (const { name, type, shape: lengths } of contentOf(shape).tensors) {
      const isMatrix = lengths.length === 2 && !/position_embd|conv1d|input_projection/.test(name);
      expect([name, type]).toEqual([name, isMatrix ? "q8_0" : "f32"]);
    }
  });
});

describe("the supported input type", () => {
  it.each<[ProjectorName, sense: string, other: string]>([
    ["gemma3-projector-tiny", "vision", "audio"],
    ["qwen25vl-projector-tiny", "vision", "audio"],
    ["pixtral-projector-tiny", "vision", "audio"],
    ["whisper-projector-tiny", "audio", "vision"],
  ])("of %s is %s", (shape, sense, other) => {
    const { metadata } = contentOf(shape);
    expect(metadata.get(`clip.has_${sense}_encoder`)).toEqual(bool(true));
    expect(metadata.get(`clip.${sense}.block_count`)).toEqual(u32(projectorShapes[shape].layers));
    expect([...metadata.keys()].filter((key) => key.includes(other))).toEqual([]);
  });
});

describe("Gemma 3's projector", () => {
  const content = contentOf("gemma3-projector-tiny");

  it("has one position embedding per patch, and merges squares of patches", () => {
    expect(tensorOf(content, "v.position_embd.weight")?.shape).toEqual([32, 64]);
    expect(content.metadata.get("clip.vision.projector.scale_factor")).toEqual(u32(2));
  });

  it("has outputs of the same magnitude as scaled token embeddings", () => {
    const projection = tensorOf(content, "mm.input_projection.weight");
    expect(projection?.shape).toEqual([64, 32]);
    const model = randomModelContent({ shape: "gemma3-vision-tiny", type: "f32", seed: 1 });
    const embeddings = valuesOf(model.tensors[0] ?? expect.fail()).slice(0, 64 * 500);
    const factor = Math.sqrt(64);
    const outputDeviation =
      standardDeviation(valuesOf(projection ?? expect.fail())) * Math.sqrt(32);
    expect(outputDeviation / (standardDeviation(embeddings) * factor)).toBeCloseTo(1, 1);
  });
});

describe("Qwen2.5 VL's projector", () => {
  it("merges 2 × 2 patches into one embedding", () => {
    const content = contentOf("qwen25vl-projector-tiny");
    expect(tensorOf(content, "mm.0.weight")?.shape).toEqual([4 * 32, 4 * 32]);
    expect(tensorOf(content, "mm.2.weight")?.shape).toEqual([4 * 32, 64]);
  });

  it("has a text model with RoPE sections for time, row and column", () => {
    const { metadata } = randomModelContent({ shape: "qwen25vl-tiny", type: "f32", seed: 1 });
    const sections = metadata.get("qwen2vl.rope.dimension_sections");
    expect(sections).toEqual({ type: "array", element: "i32", values: [2, 3, 3, 0] });
  });
});

describe("the Whisper projector", () => {
  it("has position embeddings for 30 seconds, and merges 30 positions into one embedding", () => {
    const content = contentOf("whisper-projector-tiny");
    const positions = tensorOf(content, "a.position_embd.weight");
    const joined = tensorOf(content, "mm.a.norm_pre.weight");
    const elements = (tensor: typeof positions) => elementCount(tensor?.shape ?? []);
    expect(positions?.shape).toEqual([32, 1500]);
    expect(elements(positions) / elements(joined)).toBe(30);
  });
});

it("rejects a seed that is not an unsigned 32-bit integer", () => {
  expect(() => contentOf("pixtral-projector-tiny", -1)).toThrow("seed: expected an integer from 0");
});
