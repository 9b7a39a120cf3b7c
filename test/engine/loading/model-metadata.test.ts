import type { GgufFileInfo } from "node-llama-cpp";
import { describe, expect, test } from "vitest";
import { readModelMetadata } from "../../../src/engine/loading/model-metadata.js";

interface Stub {
  readonly general?: Readonly<Record<string, unknown>>;
  readonly chatTemplate?: string;
  readonly tensors?: readonly {
    readonly name: string;
    readonly dimensions: readonly (number | bigint)[];
  }[];
  readonly fileName?: string;
  readonly causal?: boolean;
  readonly architecture?: Readonly<Record<string, unknown>>;
}

function read({
  general = {},
  chatTemplate,
  tensors,
  fileName = "model",
  causal,
  architecture,
}: Stub) {
  const fileInfo = {
    metadata: { general, tokenizer: { chat_template: chatTemplate } },
    fullTensorInfo: tensors,
    architectureMetadata: { attention: { causal }, ...architecture },
  };
  return readModelMetadata(fileInfo as unknown as GgufFileInfo, fileName);
}

const tensors = [
  { name: "token_embd.weight", dimensions: [50, 10] },
  { name: "blk.0.attn_q.weight", dimensions: [3, 4] },
  { name: "blk.0.ffn_up_exps.weight", dimensions: [5n, 2n, 2n] },
  { name: "blk.0.attn_norm.weight", dimensions: [7] },
];

describe("readModelMetadata", () => {
  test.each<[string, Stub]>([
    ["Mini", { general: { name: "Mini" }, fileName: "a.gguf" }],
    ["a.gguf", { general: {}, fileName: "a.gguf" }],
    ["a.gguf", { general: { name: 7 }, fileName: "a.gguf" }],
    ["model", {}],
  ])("names the model %s", (name, stub) => {
    expect(read(stub).name).toBe(name);
  });

  test.each([
    [0, "F32"],
    [1, "F16"],
    [7, "Q8_0"],
    [15, "Q4_K_M"],
    [9999, undefined],
    ["7", undefined],
    [undefined, undefined],
  ])("names the file type %j %s", (fileType, quantization) => {
    expect(read({ general: { file_type: fileType } }).quantization).toBe(quantization);
  });

  test("counts the parameters in all tensors", () => {
    expect(read({ tensors }).parameters).toBe(539);
    expect(read({}).parameters).toBe(0);
  });

  test("finds the largest matrix of a layer, without embeddings and experts", () => {
    expect(read({ tensors }).largestMatrix).toBe(12);
    expect(read({}).largestMatrix).toBe(0);
  });

  test.each([
    [{ expert_count: 128 }, 128],
    [{ expert_count: 8n }, 8],
    [{}, 0],
  ])("for %o returns %i experts", (architecture, experts) => {
    expect(read({ architecture }).experts).toBe(experts);
  });

  test.each([
    [undefined, true],
    [true, true],
    [false, false],
  ])("for causal = %s returns isCausal = %s", (causal, isCausal) => {
    expect(read({ causal }).isCausal).toBe(isCausal);
  });

  test("returns the chat template if the file has one", () => {
    expect(read({ chatTemplate: "{{ x }}" }).chatTemplate).toBe("{{ x }}");
    expect(read({}).chatTemplate).toBeUndefined();
  });

  test("returns the recommended sampling parameters", () => {
    const sampling = { temp: 0.6, top_k: 20 };
    expect(read({ general: { sampling } }).recommendedSampling).toEqual({
      temperature: 0.6,
      topK: 20,
    });
    expect(read({}).recommendedSampling).toEqual({});
  });

  test.each([
    [{}, undefined],
    [{ rope: { freq_base: 1 } }, undefined],
    [{ rope: { scaling: { original_context_length: 4096 } } }, 4096],
  ])("reads the context size before position scaling: %j", (architecture, tokens) => {
    expect(read({ architecture }).ropeOriginalContext).toBe(tokens);
  });

  test.each<[string, Record<string, unknown>, unknown]>([
    [
      "one head count for all layers",
      { block_count: 2, embedding_length: 64, attention: { head_count: 8, head_count_kv: 2 } },
      { queryHeads: 8, kvHeads: [2, 2], keyLength: 8, valueLength: 8 },
    ],
    [
      "a head count per layer, and explicit key and value lengths",
      {
        block_count: 3,
        embedding_length: 64,
        attention: {
          head_count: [8, 8, 4],
          head_count_kv: [2, 1, 0],
          key_length: 16,
          value_length: 12n,
        },
      },
      { queryHeads: 8, kvHeads: [2, 1, 0], keyLength: 16, valueLength: 12 },
    ],
    [
      "as many key as query heads by default",
      { block_count: 1, embedding_length: 64, attention: { head_count: 4 } },
      { queryHeads: 4, kvHeads: [4], keyLength: 16, valueLength: 16 },
    ],
    [
      "no heads in a recurrent model",
      { block_count: 2, embedding_length: 64, attention: { head_count: 0 } },
      { queryHeads: 0, kvHeads: [0, 0], keyLength: 64, valueLength: 64 },
    ],
    ["nothing", {}, { queryHeads: 0, kvHeads: [], keyLength: 0, valueLength: 0 }],
  ])("reads the attention shape: %s", (_, architecture, attention) => {
    expect(read({ architecture }).attention).toEqual(attention);
  });
});
