import { getLlama, type Llama, type LlamaModel } from "node-llama-cpp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kvBytesPerToken } from "../../../../src/engine/llama/kv-cache.js";
import { fitsMemory, readMemoryBudget } from "../../../../src/engine/llama/model/memory-fit.js";
import { readModelMetadata } from "../../../../src/engine/llama/model/model-metadata.js";
import { shippedModel } from "../../../support/shipped-model.js";

let llama: Llama;
let model: LlamaModel;
beforeAll(async () => {
  llama = await getLlama({ gpu: false, build: "never", maxThreads: 1 });
  model = await llama.loadModel({ modelPath: shippedModel });
});
afterAll(async () => {
  await model.dispose();
  await llama.dispose();
});

const options = { batchSize: 512, kvCacheType: "f16" } as const;
const size = { slots: 4, contextSize: 2048 };
const fits = (cpuBytes: number, models = [model], fields = {}) =>
  fitsMemory(models, { cpuBytes, gpuBytes: 0, ...size, ...options, ...fields });

test("a context takes its KV cache and compute buffers, and no more than twice the cache here", async () => {
  const bytesPerToken = kvBytesPerToken(readModelMetadata(model).attention, "f16");
  const cacheBytes = bytesPerToken * size.slots * size.contextSize;
  expect(await fits(cacheBytes)).toBe(false);
  expect(await fits(2 * cacheBytes)).toBe(true);
});

test("a draft model and larger numbers in the cache take memory, too", async () => {
  const needed = 125e6;
  expect(await fits(needed)).toBe(true);
  expect(await fits(needed, [model, model])).toBe(false);
  expect(await fits(needed, [model], { kvCacheType: "f32" })).toBe(false);
});

test("the budget leaves a part of the free memory, and room for the weights, which are mapped", async () => {
  const { cpuBytes, gpuBytes } = await readMemoryBudget([model]);
  expect(cpuBytes).toBeGreaterThan(0);
  expect(cpuBytes).toBeLessThan(process.availableMemory() - 6_000_000);
  expect(gpuBytes).toBe(0);
});
