import { loadVocabularyOnly } from "./loading/vocabulary-only.js";
import { readVocabulary, type Vocabulary } from "./text/vocabulary/vocabulary.js";

/**
 * Loads the vocabulary of a GGUF file, which need not have weights.
 * @throws {Error} llama.cpp cannot load the file
 */
export async function loadVocabulary(modelPath: string): Promise<Vocabulary> {
  return readVocabulary(await loadVocabularyOnly(modelPath));
}
