import type { GgufFileInfo } from "node-llama-cpp";
import { describe, expect, test } from "vitest";
import type { MetadataOverride } from "../../../src/core/metadata-override.js";
import type { HeaderValue } from "../../../src/engine/loading/gguf-header.js";
import {
  applyOverrides,
  overrideFileInfo,
} from "../../../src/engine/loading/metadata-overrides.js";

const metadata = new Map<string, HeaderValue>([
  ["general.architecture", { type: "string", text: "llama" }],
  ["llama.context_length", { type: "u32", value: 64 }],
  ["llama.rope.freq_base", { type: "f32", value: 10_000 }],
  ["tokenizer.ggml.add_bos_token", { type: "bool", value: true }],
  ["tokenizer.ggml.tokens", { type: "array", element: "string", length: 9 }],
]);

describe("a metadata override", () => {
  test.each<[MetadataOverride, HeaderValue]>([
    [
      { key: "llama.context_length", type: "int", value: 128 },
      { type: "u32", value: 128 },
    ],
    [
      { key: "llama.rope.freq_base", type: "float", value: 5 },
      { type: "f32", value: 5 },
    ],
    [
      { key: "tokenizer.ggml.add_bos_token", type: "bool", value: false },
      { type: "bool", value: false },
    ],
    [
      { key: "general.architecture.x", type: "str", value: "y" },
      { type: "string", text: "y" },
    ],
    [
      { key: "new", type: "int", value: 3 },
      { type: "u32", value: 3 },
    ],
    [
      { key: "new", type: "float", value: 3 },
      { type: "f32", value: 3 },
    ],
  ])("%j results in %j", (override, value) => {
    expect(applyOverrides(metadata, [override])).toEqual(
      new Map([...metadata, [override.key, value]]),
    );
  });

  test.each<[MetadataOverride, string]>([
    [
      { key: "llama.context_length", type: "float", value: 1 },
      "llama.context_length: expected the type of",
    ],
    [
      { key: "llama.rope.freq_base", type: "int", value: 1 },
      "expected the type of the file's value",
    ],
    [
      { key: "tokenizer.ggml.tokens", type: "str", value: "a" },
      "tokenizer.ggml.tokens: expected the type of",
    ],
    [
      { key: "general.architecture", type: "str", value: "qwen3" },
      "general.architecture: this key cannot be overridden",
    ],
  ])("%j is rejected", (override, message) => {
    expect(() => applyOverrides(metadata, [override])).toThrow(message);
  });

  test("is applied by its dotted key, creating groups if necessary", () => {
    const info = { metadata: { llama: { context_length: 64 }, general: "x" } };
    overrideFileInfo(info as unknown as GgufFileInfo, [
      { key: "llama.context_length", type: "int", value: 128 },
      { key: "llama.rope.freq_base", type: "float", value: 5 },
      { key: "constructor.name", type: "str", value: "y" },
    ]);
    expect(info.metadata).toMatchObject({ llama: { context_length: 128, rope: { freq_base: 5 } } });
    expect(Object.name).toBe("Object");
  });
});
