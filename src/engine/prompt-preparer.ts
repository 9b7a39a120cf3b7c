import { basename } from "node:path";
import type { GenerationRequest, PreparedGeneration } from "../core/generation-request.js";
import { loadBackend } from "./llama/llama-backend.js";
import { type ModelMetadata, readModelMetadata } from "./llama/model/model-metadata.js";
import { readVocabulary, type Vocabulary } from "./llama/vocabulary/vocabulary.js";
import { CHATML_TEMPLATE, ChatTemplate } from "./prompt/chat-template.js";
import { prepareGeneration } from "./prompt/prepare-generation.js";
import { PromptTokenizer } from "./prompt/prompt-tokenizer.js";

/** Renders, tokenises and checks prompts. */
export interface PromptPreparer {
  /** @throws {GgufdError} `context_length_exceeded`, `chat_template_error`, `invalid_request` */
  prepare(request: GenerationRequest): PreparedGeneration;
}

export interface PreparedModel {
  readonly vocabulary: Vocabulary;
  readonly metadata: Pick<ModelMetadata, "chatTemplate">;
  /** What one request may hold, in tokens. */
  readonly contextSize: number;
}

/** A preparer for a loaded model. */
export function createPreparer({
  vocabulary,
  metadata,
  contextSize,
}: PreparedModel): PromptPreparer {
  const template = new ChatTemplate(metadata.chatTemplate ?? CHATML_TEMPLATE, {
    bosToken: vocabulary.bosText,
    eosToken: vocabulary.eosText,
  });
  const tokenizer = new PromptTokenizer(vocabulary, template, contextSize);
  const limits = { contextSize, vocabularySize: vocabulary.size };
  return {
    prepare: (request) => prepareGeneration(request, tokenizer.encode(request.prompt), limits),
  };
}

/** What a preparer is loaded with. Plain data. */
export interface PreparerSettings {
  readonly modelPath: string;
  /** What one request may hold, in tokens. */
  readonly contextSize: number;
}

/**
 * Loads a preparer without the weights of its model.
 * @throws {Error} llama.cpp cannot load the file; the engine has loaded it before
 */
export async function loadPreparer({
  modelPath,
  contextSize,
}: PreparerSettings): Promise<PromptPreparer> {
  const llama = await loadBackend({ gpu: "off", log: () => undefined });
  const model = await llama.loadModel({
    modelPath,
    vocabOnly: true,
    gpuLayers: 0,
    ignoreMemorySafetyChecks: true,
  });
  const metadata = readModelMetadata(model.fileInfo, basename(modelPath));
  return createPreparer({ vocabulary: readVocabulary(model), metadata, contextSize });
}
