import { buildTokenTrie } from "../grammar/mask/token-trie.js";
import type { GrammarVocabulary } from "../grammar/token-grammar.js";
import { loadVocabularyOnly } from "./loading/model-loading.js";
import { readVocabulary, type Vocabulary } from "./text/vocabulary/vocabulary.js";

/** Builds the vocabulary that grammars use. Takes up to a second for a large one. */
export function buildGrammarVocabulary(vocabulary: Vocabulary): GrammarVocabulary {
  const { bytesOf, controlTextOf, endOfGeneration, size } = vocabulary;
  const continuingTokens = Array.from({ length: size }, (_, id) => id).filter(
    (id) => !endOfGeneration.has(id),
  );
  return {
    trie: buildTokenTrie(
      continuingTokens.map((id) => ({ id, bytes: bytesOf(id) })),
      size,
    ),
    bytesOf,
    controlTokens: new Map(
      continuingTokens.flatMap((id): [string, number][] => {
        const text = controlTextOf(id);
        return text === undefined ? [] : [[text, id]];
      }),
    ),
  };
}

/**
 * Loads the vocabulary of a GGUF file; the file need not contain weights.
 * @throws {Error} llama.cpp cannot load the file
 */
export async function loadVocabulary(modelPath: string): Promise<Vocabulary> {
  return readVocabulary(await loadVocabularyOnly(modelPath));
}
