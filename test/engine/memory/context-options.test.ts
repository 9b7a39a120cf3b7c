import { GgmlType } from "node-llama-cpp";
import { expect, test } from "vitest";
import {
  buildCompanionParams,
  type ContextSubject,
  computeMaxOutputs,
  toNativeContextOptions,
} from "../../../src/engine/memory/context-options.js";

const subject: ContextSubject = {
  attention: { queryHeads: 32, kvHeads: [8], keyLength: 128, valueLength: 128 },
  processor: { kind: "cpu", build: "prebuilt", vectorLength: 32 },
  batches: "divisible",
  largestMatrix: 576 * 1536,
};
const options = { slots: 4, batchSize: 512, layout: "split" } as const;

test.each<[string, Partial<ContextSubject>, number, number]>([
  ["is small on a CPU, where a pass costs little", {}, 512, 256],
  ["is smaller with larger layers, in whole tiles", { largestMatrix: 2048 * 8192 }, 512, 192],
  ["is one tile with very large layers", { largestMatrix: 8192 * 28_672 }, 512, 64],
  ["does not exceed the batch", {}, 48, 48],
  ["is the whole batch on a GPU", { processor: { kind: "gpu" } }, 512, 512],
  ["is the whole batch if it must not be divided", { batches: "whole" }, 512, 512],
])("the micro-batch size %s", (_, fields, batchSize, expected) => {
  const params = buildCompanionParams({ ...subject, ...fields }, { ...options, batchSize });
  expect(params.microBatchTokens).toBe(expected);
});

test.each<[string, Partial<ContextSubject>, object, object]>([
  ["limits the pass of a GPU", { processor: { kind: "gpu" } }, { ubatchSize: 128 }, { pass: 128 }],
  ["limits the pass of a CPU", {}, { ubatchSize: 32 }, { pass: 32 }],
  ["does not enlarge the pass of a CPU", {}, { ubatchSize: 512 }, { pass: 256 }],
  [
    "does not exceed the batch",
    {},
    { ubatchSize: 512, batchSize: 48 },
    { batch: 48, pass: 48, outputs: 48 },
  ],
  [
    "limits the batch if it must not be divided",
    { batches: "whole" },
    { ubatchSize: 48 },
    { batch: 48, pass: 48, outputs: 48 },
  ],
])("--ubatch-size %s", (_, fields, limits, expected) => {
  const own = { ...subject, ...fields };
  const kvCacheTypes = { keys: "f16", values: "f16" } as const;
  const asked = { ...options, contextSize: 64, kvCacheTypes, ...limits };
  const { microBatchTokens: pass, maxOutputs: outputs } = buildCompanionParams(own, asked);
  const { batchSize: batch } = toNativeContextOptions(own, asked);
  expect({ batch, pass, outputs }).toEqual({ batch: 512, outputs: 64, ...expected });
});

test.each([
  ["auto", "auto"],
  ["on", true],
  ["off", false],
] as const)("--flash-attn %s is applied", (flashAttn, expected) => {
  const kvCacheTypes = { keys: "q8_0", values: "bf16" } as const;
  const asked = { ...options, contextSize: 64, kvCacheTypes, flashAttn };
  expect(toNativeContextOptions(subject, asked).flashAttention).toBe(expected);
});

test("--flash-attn off is refused with quantised values", () => {
  const kvCacheTypes = { keys: "f16", values: "q8_0" } as const;
  const asked = { ...options, contextSize: 64, kvCacheTypes, flashAttn: "off" } as const;
  expect(() => toNativeContextOptions(subject, asked)).toThrow(
    "--flash-attn: expected auto or on with values in q8_0 (--cache-type-v), got off",
  );
});

test("the cache and operations stay with the CPU only if requested", () => {
  expect(Object.keys(buildCompanionParams(subject, options))).not.toContain("offloadKv");
  expect(buildCompanionParams(subject, { ...options, noKvOffload: true })).toMatchObject({
    offloadKv: false,
  });
  expect(buildCompanionParams(subject, { ...options, noOpOffload: true })).toMatchObject({
    offloadOperations: false,
  });
});

test.each([
  [4, 512, 64],
  [32, 512, 128],
  [4, 16, 16],
  [256, 128, 256],
])("%i slots with a batch of %i tokens may request %i rows of logits", (slots, batchSize, rows) => {
  expect(computeMaxOutputs({ slots, batchSize })).toBe(rows);
});

test("the context has the planned cache layout", () => {
  expect(buildCompanionParams(subject, options).kvUnified).toBe(false);
  expect(buildCompanionParams(subject, { ...options, layout: "unified" }).kvUnified).toBe(true);
});

test("keys and values of the cache have separately planned types", () => {
  const kvCacheTypes = { keys: "q8_0", values: "f16" } as const;
  expect(
    toNativeContextOptions(subject, { ...options, contextSize: 64, kvCacheTypes }),
  ).toMatchObject({
    ...{ keyType: GgmlType.Q8_0, valueType: GgmlType.F16 },
    flashAttention: "auto",
  });
});
