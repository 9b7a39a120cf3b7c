import { expect, test } from "vitest";
import {
  chooseFlashAttention,
  type FlashAttentionInput,
} from "../../../src/engine/native/kv-cache.js";

const prebuilt = { kind: "cpu", build: "prebuilt", vectorLength: 64 } as const;

function decide(
  valueLength: number,
  fields: Partial<Omit<FlashAttentionInput, "attention">> = {},
): "auto" | false {
  return chooseFlashAttention({
    attention: { queryHeads: 32, kvHeads: [8], keyLength: 64, valueLength },
    kvCacheTypes: { keys: "f16", values: "f16" },
    attendedTokens: 4096,
    batchSize: 512,
    processor: prebuilt,
    ...fields,
  });
}

test.each([
  [64, 64, "auto"],
  [128, 64, "auto"],
  [32, 64, false],
  [48, 64, false],
  [96, 64, false],
  [96, 32, "auto"],
  [80, 32, false],
] as const)(
  "flash attention with value heads of %d elements and SIMD vectors of %d is %s",
  (valueLength, vectorLength, decision) => {
    expect(decide(valueLength, { processor: { ...prebuilt, vectorLength } })).toBe(decision);
  },
);

test.each<[string, Partial<FlashAttentionInput>]>([
  ["on a GPU", { processor: { kind: "gpu" } }],
  ["with a locally compiled library", { processor: { ...prebuilt, build: "local" } }],
  [
    "with a quantised cache, which requires flash attention",
    { kvCacheTypes: { keys: "q8_0", values: "q8_0" } },
  ],
  ["if the scores of a batch would need too much memory", { attendedTokens: 131_072 }],
])("llama.cpp decides about flash attention %s", (_, fields) => {
  expect(decide(48, fields)).toBe("auto");
});
