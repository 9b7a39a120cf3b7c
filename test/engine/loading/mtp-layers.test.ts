import { describe, expect, test } from "vitest";
import { findMtpLayers, type MtpQuestion } from "../../../src/engine/loading/mtp-layers.js";

const predicting = (blocks: readonly number[]) =>
  blocks.flatMap((block) =>
    ["nextn.eh_proj.weight", "nextn.enorm.weight", "nextn.hnorm.weight"].map(
      (part) => `blk.${block}.${part}`,
    ),
  );

const tensorsOf = (blocks: readonly number[]) =>
  new Set(["blk.0.attn_norm.weight", ...predicting(blocks)]);

const question: MtpQuestion = {
  architecture: "qwen35",
  blocks: 25,
  predictingBlocks: 1,
  tensorNames: tensorsOf([24]),
};

const of = (fields: Partial<MtpQuestion>) => findMtpLayers({ ...question, ...fields });

describe("layers for multi-token prediction are", () => {
  test("used if the file has them and llama.cpp computes them", () => {
    expect(of({})).toEqual({ kind: "usable", layers: 1 });
    const three = { predictingBlocks: 3, tensorNames: tensorsOf([22, 23, 24]) };
    expect(of({ architecture: "step35", ...three })).toEqual({ kind: "usable", layers: 3 });
  });

  test.each<[string, Partial<MtpQuestion>]>([
    ["without a number of them", { predictingBlocks: 0 }],
    ["where the number is negative", { predictingBlocks: -1 }],
    ["where nothing but them is left", { predictingBlocks: 25 }],
    ["where the file was published without them", { tensorNames: tensorsOf([]) }],
  ])("absent %s", (_, fields) => {
    expect(of(fields)).toEqual({ kind: "none" });
  });

  test("the only layers if the file has no others", () => {
    expect(of({ tensorNames: new Set(predicting([24])) })).toEqual({ kind: "alone" });
  });

  test.each<[string, Partial<MtpQuestion>, string]>([
    [
      "of another architecture",
      { architecture: "llama" },
      "llama.cpp does not support them for llama models",
    ],
    [
      "where there are several and llama.cpp asserts one",
      { predictingBlocks: 2, tensorNames: tensorsOf([23, 24]) },
      "llama.cpp supports 1 such layer for qwen35 models, but the file has 2",
    ],
    [
      "where the second of them is incomplete",
      { architecture: "hy_v3", predictingBlocks: 2, tensorNames: tensorsOf([23]) },
      "the file has no tensor blk.24.nextn.eh_proj.weight",
    ],
    [
      "without a tensor that llama.cpp's graph asserts",
      { architecture: "mimo2" },
      "the file has no tensor blk.24.attn_qkv.weight",
    ],
  ])("not used %s, with the reason", (_, fields, reason) => {
    expect(of(fields)).toEqual({ kind: "unusable", reason });
  });
});
