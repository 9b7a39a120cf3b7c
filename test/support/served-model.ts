import type { AdapterService } from "../../src/core/adapters.js";
import { NO_MEMORY } from "../../src/core/memory-use.js";
import type { GenerationModel } from "../../src/core/model-directory.js";

/** Adapter service of a model that has no adapters and accepts none. */
export const noAdapters: AdapterService = {
  list: [],
  defaults: [],
  change: () => Promise.reject(new Error("unexpected call")),
  useByDefault: () => undefined,
};

export function servedModel(alias: string): GenerationModel {
  return {
    kind: "generation",
    alias,
    createdAt: 1_700_000_000,
    engine: {
      model: {
        path: `/models/${alias}.gguf`,
        name: alias,
        architecture: "llama",
        parameters: 1,
        sizeBytes: 1,
        trainContextSize: 128,
        contextSize: 128,
        vocabularySize: 32,
        fingerprint: "ggufd_000000000000",
      },
      slots: 1,
      batchSize: 64,
      threads: { decode: 1, prefill: 1 },
      kvCache: { type: "f16", layout: "split", bytes: 1_000_000 },
      memory: NO_MEMORY,
      device: "CPU",
      build: "prebuilt",
      outputFormat: { convention: "hermes", reasoning: "think" },
      endTokens: [2],
    },
    texts: { ask: () => Promise.reject(new Error("unexpected call")) },
    generations: {
      submit: () => Promise.reject(new Error("unexpected call")),
      countTokens: () => Promise.reject(new Error("unexpected call")),
    },
    endReasoning: () => Promise.reject(new Error("unexpected call")),
    slots: {
      list: () => Promise.reject(new Error("unexpected call")),
      command: () => Promise.reject(new Error("unexpected call")),
    },
    adapters: noAdapters,
  };
}
