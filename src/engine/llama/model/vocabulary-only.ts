import type { LlamaModel } from "node-llama-cpp";
import { tensorBlocks } from "../addon.js";
import { loadBackend } from "../llama-backend.js";
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
