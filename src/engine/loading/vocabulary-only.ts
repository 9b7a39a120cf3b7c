import type { LlamaModel } from "node-llama-cpp";
import { loadBackend } from "../native/llama-backend.js";
import { tensorBlocks } from "../native/tensor-blocks.js";
import { checkModelFile } from "./model-file.js";

/**
 * Loads a model without its weights, of which the file need not have any.
 * @throws {StartupError} the file is damaged
 * @throws {Error} llama.cpp cannot load it
 */
export async function loadVocabularyOnly(modelPath: string): Promise<LlamaModel> {
  const llama = await loadBackend({ gpu: "off", log: () => undefined });
  await checkModelFile({ role: "model", path: modelPath }, tensorBlocks(llama));
  return llama.loadModel({
    modelPath,
    vocabOnly: true,
    gpuLayers: 0,
    ignoreMemorySafetyChecks: true,
  });
}
