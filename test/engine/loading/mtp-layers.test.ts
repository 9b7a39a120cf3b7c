import { describe, expect, test } from "vitest";
import { findMtpLayers, type MtpLayersInput } from "../../../src/engine/loading/mtp-layers.js";

const predicting = (blocks: readonly number[]) =>
  blocks.flatMap((block) =>
    ["nextn.eh_proj.weight", "nextn.enorm.weight", "nextn.hnorm.weight"].map(
      (part) => `blk.${block}.${part}`,
    ),
  );

const tensorsOf = (blocks: readonly number[]) =>
  new Set(["blk.0.attn_norm.weight", ...predicting(blocks)]);

const question: MtpLayersInput = {
  architecture: "qwen35",
  blocks: 25,
  predictingBlocks: 1,
  tensorNames: tensorsOf([24]),
};

const of = (fields: Partial<MtpLayersInput>) => findMtpLayers({ ...question, ...fields });

describe("layers for multi-token prediction", () => {
  test("are used if the file has them and llama.cpp supports them", () => {
    expect(of({})).toEqual({ kind: "usable", layers: 1 });
    const three = { predictingBlocks: 3, tensorNames: tensorsOf([22, 23, 24]) };
    expect(of({ architecture: "step35", ...three })).toEqual({ kind: "usable", layers: 3 });
  });

  test.each<[string, Partial<MtpLayersInput>]>([
    ["if their number is missing", { predictingBlocks: 0 }],
    ["if their number is negative", { predictingBlocks: -1 }],
    ["if there are no other layers", { predictingBlocks: 25 }],
    ["if the file was published without them", { tensorNames: tensorsOf([]) }],
  ])("are absent %s", (_, fields) => {
    expect(of(fields)).toEqual({ kind: "none" });
  });

  test("are reported as the only layers if the file has no others", () => {
    expect(of({ tensorNames: new Set(predicting([24])) })).toEqual({ kind: "alone" });
  });

  test.each<[string, Partial<MtpLayersInput>, string]>([
    [
      "for another architecture",
      { architecture: "llama" },
      "llama.cpp does not support them for llama models",
    ],
    [
      "if there are several, but llama.cpp supports one",
      { predictingBlocks: 2, tensorNames: tensorsOf([23, 24]) },
      "llama.cpp supports 1 such layer for qwen35 models, but the file has 2",
    ],
    [
      "if the second one is incomplete",
      { architecture: "hy_v3", predictingBlocks: 2, tensorNames: tensorsOf([23]) },
      "the file has no tensor blk.24.nextn.eh_proj.weight",
    ],
    [
      "without a tensor that llama.cpp requires",
      { architecture: "mimo2" },
      "the file has no tensor blk.24.attn_qkv.weight",
    ],
  ])("are not used %s, with the reason", (_, fields, reason) => {
    expect(of(fields)).toEqual({ kind: "unusable", reason });
  });
});
