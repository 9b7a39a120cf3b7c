import type { LlamaModel } from "node-llama-cpp";
import { loadBackend } from "../llama-backend.js";

/**
 * Loads a model without its weights, of which the file need not have any.
 * @throws {Error} llama.cpp cannot load the file
 */
export async function loadVocabularyOnly(modelPath: string): Promise<LlamaModel> {
  const llama = await loadBackend({ gpu: "off", log: () => undefined });
  return llama.loadModel({
    modelPath,
    vocabOnly: true,
    gpuLayers: 0,
    ignoreMemorySafetyChecks: true,
  });
}
