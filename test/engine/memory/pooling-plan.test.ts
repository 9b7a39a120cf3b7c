import { describe, expect, test } from "vitest";
import type { MachineMemory } from "../../../src/engine/memory/machine-memory.js";
import {
  type PoolingEstimates,
  type PoolingMemorySettings,
  planPooling,
} from "../../../src/engine/memory/pooling-plan.js";

const GiB = 2 ** 30;
const MiB = 2 ** 20;

function machine(memoryGiB: number, gpuGiB?: number): MachineMemory {
  const free = { cpuBytes: memoryGiB * GiB, gpuBytes: (gpuGiB ?? 0) * GiB };
  return { free, totalCpuBytes: memoryGiB * GiB, gpu: gpuGiB === undefined ? "none" : "separate" };
}

/** 1 GiB of weights in 24 layers, and 0.25 MiB for each token of a batch. */
function estimates(fields: Partial<PoolingEstimates> = {}): PoolingEstimates {
  const on = (bytes: number, gpuLayers: number) =>
    gpuLayers > 0 ? { cpuBytes: 0, gpuBytes: bytes } : { cpuBytes: bytes, gpuBytes: 0 };
  return {
    layers: 24,
    trainContextSize: 32_768,
    cache: "none",
    weights: async (gpuLayers) => on(GiB, gpuLayers),
    context: async (gpuLayers, { batchTokens }) => on(batchTokens * 0.25 * MiB, gpuLayers),
    shortBatchSize: () => undefined,
    ...fields,
  };
}

interface Question extends Partial<PoolingMemorySettings> {
  readonly memory: MachineMemory;
  readonly model?: PoolingEstimates;
}

async function planOf({ memory, model = estimates(), ...fields }: Question) {
  const settings = { gpuLayers: "auto", maxInputTokens: undefined, ...fields } as const;
  const plan = await planPooling({ settings, model, memory });
  const { maxInputTokens, batchTokens, sequences } = plan;
  return `${plan.model.gpuLayers} layers, inputs of ${maxInputTokens}, batches of ${batchTokens}, ${sequences} sequences`;
}

describe("the memory plan of a pooling model", () => {
  test.each<[string, Question, string]>([
    [
      "accepts inputs of 8192 tokens if they fit",
      { memory: machine(16) },
      "0 layers, inputs of 8192, batches of 8192, 32 sequences",
    ],
    [
      "accepts inputs up to the model's context",
      { memory: machine(16), model: estimates({ trainContextSize: 512 }) },
      "0 layers, inputs of 512, batches of 512, 32 sequences",
    ],
    [
      "accepts shorter inputs on a small machine",
      { memory: machine(2) },
      "0 layers, inputs of 2048, batches of 2048, 32 sequences",
    ],
    [
      "accepts inputs of the configured length",
      { memory: machine(64), maxInputTokens: 32_768 },
      "0 layers, inputs of 32768, batches of 32768, 32 sequences",
    ],
    [
      "offloads all layers to the GPU",
      { memory: machine(64, 24) },
      "24 layers, inputs of 8192, batches of 8192, 32 sequences",
    ],
    [
      "prefers the GPU over long inputs",
      { memory: machine(64, 2) },
      "24 layers, inputs of 2048, batches of 2048, 32 sequences",
    ],
    [
      "uses the CPU if the GPU is too small",
      { memory: machine(64, 1) },
      "0 layers, inputs of 8192, batches of 8192, 32 sequences",
    ],
    [
      "offloads the configured number of layers",
      { memory: machine(64, 24), gpuLayers: 5 },
      "5 layers, inputs of 8192, batches of 8192, 32 sequences",
    ],
    [
      "combines several short inputs in a batch on a GPU",
      { memory: machine(64, 24), model: estimates({ trainContextSize: 512 }) },
      "24 layers, inputs of 512, batches of 2048, 32 sequences",
    ],
    [
      "has at most as many sequences as tokens",
      { memory: machine(16), maxInputTokens: 3 },
      "0 layers, inputs of 3, batches of 3, 3 sequences",
    ],
    [
      "has the same number of tokens for each sequence",
      { memory: machine(16), maxInputTokens: 33 },
      "0 layers, inputs of 33, batches of 64, 32 sequences",
    ],
    [
      "has at most as many sequences as the cache of one batch holds",
      { memory: machine(16), model: estimates({ cache: "cells", trainContextSize: 2048 }) },
      "0 layers, inputs of 2048, batches of 2048, 8 sequences",
    ],
  ])("%s", async (_, question, plan) => {
    expect(await planOf(question)).toBe(plan);
  });

  test("has the minimum size if nothing fits", async () => {
    expect(await planOf({ memory: machine(0.5) })).toContain("inputs of 512");
  });

  test("has contexts for a second batch and for short batches on a CPU, including their memory", async () => {
    const short = { batchTokens: 60, sequences: 4, attention: "plain" } as const;
    const model = estimates({ shortBatchSize: () => short });
    const settings = { gpuLayers: "auto", maxInputTokens: 2048 } as const;
    const plan = (memory: MachineMemory) => planPooling({ settings, model, memory });
    const onCpu = await plan(machine(16));
    const second = { batchTokens: 512, sequences: 32, attention: "flash" };
    expect(onCpu).toMatchObject({ second, short });
    expect(onCpu.model.buffers.cpuBytes).toBe((2048 + 60 + 512 + 60) * 0.25 * MiB);
    const onGpu = await plan(machine(16, 24));
    expect([onGpu.second, onGpu.short]).toEqual([undefined, undefined]);
  });

  test("has a second context that is not larger than the first one", async () => {
    const settings = { gpuLayers: "auto", maxInputTokens: 100 } as const;
    const { batchTokens, second } = await planPooling({
      settings,
      model: estimates(),
      memory: machine(16),
    });
    expect(second?.batchTokens).toBe(batchTokens);
  });
});
