import { buildTokenTrie } from "../grammar/mask/token-trie.js";
import type { GrammarVocabulary } from "../grammar/token-grammar.js";
import { loadVocabularyOnly } from "./loading/model-loading.js";
import { readVocabulary, type Vocabulary } from "./text/vocabulary/vocabulary.js";

/** What grammars need of a model's vocabulary. Takes up to a second for large ones. */
export function buildGrammarVocabulary(vocabulary: Vocabulary): GrammarVocabulary {
  const { bytesOf, controlTextOf, endOfGeneration, size } = vocabulary;
  const continuing = Array.from({ length: size }, (_, id) => id).filter(
    (id) => !endOfGeneration.has(id),
  );
  return {
    trie: buildTokenTrie(
      continuing.map((id) => ({ id, bytes: bytesOf(id) })),
      size,
    ),
    bytesOf,
    controlTokens: new Map(
      continuing.flatMap((id): [string, number][] => {
        const text = controlTextOf(id);
        return text === undefined ? [] : [[text, id]];
      }),
    ),
  };
}

/**
 * Loads the vocabulary of a GGUF file, which need not have weights.
 * @throws {Error} llama.cpp cannot load the file
 */
export async function loadVocabulary(modelPath: string): Promise<Vocabulary> {
  return readVocabulary(await loadVocabularyOnly(modelPath));
}
