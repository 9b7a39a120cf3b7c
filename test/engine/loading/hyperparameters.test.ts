import { expect, test } from "vitest";
import type { HeaderValue } from "../../../src/engine/loading/gguf-header.js";
import { checkHyperparameters } from "../../../src/engine/loading/hyperparameters.js";

const u32 = (value: number): HeaderValue => ({ type: "u32", value });
const sound: Readonly<Record<string, HeaderValue>> = {
  "general.architecture": { type: "string", text: "llama" },
  "tokenizer.ggml.model": { type: "string", text: "gpt2" },
  "tokenizer.ggml.tokens": { type: "array", element: "string", length: 512 },
  "llama.block_count": u32(2),
  "llama.context_length": u32(2048),
  "llama.embedding_length": u32(64),
};
const check = (changes: Readonly<Record<string, HeaderValue | undefined>>) => () =>
  checkHyperparameters({
    metadata: new Map(
      Object.entries({ ...sound, ...changes }).flatMap(([key, value]) =>
        value === undefined ? [] : [[key, value] as const],
      ),
    ),
  });

test.each([
  ["only the required keys", {}],
  ["one number of heads for all layers", { "llama.attention.head_count_kv": u32(2) }],
  [
    "a number of heads for each layer",
    { "llama.attention.head_count_kv": { type: "array", element: "i32", length: 2 } },
  ],
  [
    "512 layers and 1024 experts",
    { "llama.block_count": u32(512), "llama.expert_count": u32(1024) },
  ],
  ["a layer for multi-token prediction", { "llama.nextn_predict_layers": u32(1) }],
  [
    "a 64-bit value that is not used in computations",
    { "general.parameter_count": { type: "u64", value: 1e9 } },
  ],
] as const)("a model with %s is accepted", (_, changes) => {
  expect(check(changes)).not.toThrow();
});

test.each([
  ["general.architecture", undefined, "a name, got nothing"],
  ["general.architecture", u32(1), "a name, got 1 (u32)"],
  ["tokenizer.ggml.model", undefined, "a text, got nothing"],
  ["tokenizer.ggml.tokens", undefined, "an array of strings, got nothing"],
  [
    "tokenizer.ggml.tokens",
    { type: "array", element: "u8", length: 2 },
    "an array of strings, got an array of 2 u8",
  ],
  [
    "tokenizer.ggml.tokens",
    { type: "array", element: "string", length: 0 },
    "an array of strings, got an array of 0 string",
  ],
  ["tokenizer.chat_template", { type: "f32", value: 1.5 }, "a text, got 1.5 (f32)"],
  ["llama.block_count", undefined, "1 to 512 layers (u32), got nothing"],
  ["llama.block_count", u32(0), "1 to 512 layers (u32), got 0 (u32)"],
  ["llama.block_count", u32(0xffff_ffff), "1 to 512 layers (u32), got 4294967295 (u32)"],
  ["llama.block_count", { type: "u64", value: 2 }, "1 to 512 layers (u32), got 2 (u64)"],
  ["llama.context_length", { type: "u64", value: 2048 }, "a u32, got 2048 (u64)"],
  ["llama.embedding_length", u32(0), "at least 1 (u32), got 0 (u32)"],
  ["llama.expert_count", u32(1025), "at most 1024 experts (u32), got 1025 (u32)"],
  ["llama.nextn_predict_layers", u32(3), "at most 2, the number of layers, got 3 (u32)"],
  [
    "llama.target_layers",
    { type: "array", element: "f32", length: 3 },
    "u32 numbers, got an array of 3 f32",
  ],
  ["llama.target_hidden_size", u32(0), "at least 1 (u32), got 0 (u32)"],
  [
    "llama.attention.head_count",
    { type: "array", element: "u64", length: 2 },
    "u32 numbers, got an array of 2 u64",
  ],
  [
    "llama.attention.layer_norm_rms_epsilon",
    { type: "f32", value: -1 },
    "a number of at least 0 (f32), got -1 (f32)",
  ],
  [
    "llama.attention.layer_norm_rms_epsilon",
    { type: "f32", value: Number.NaN },
    "a number of at least 0 (f32), got NaN (f32)",
  ],
  ["llama.attention.sliding_window", { type: "u64", value: 512 }, "a 32-bit number, got 512 (u64)"],
] as const)("%s = %j is rejected: expected %s", (key, value, message) => {
  expect(check({ [key]: value })).toThrow(`metadata "${key}": expected ${message}`);
});
