import { BoundedCache } from "./bounded-cache.js";
import { GrammarEpoch, type GrammarVocabulary, type TokenGrammar } from "./token-grammar.js";

/** Serialised grammar with a key that equal grammars share. Plain data. */
export interface PreparedGrammar {
  readonly key: string;
  /**
   * JSON of a {@link Grammar}. A string is cheap to pass between processes and is not parsed again
   * if the key is known.
   */
  readonly json: string;
}

/** Maximum number of grammars kept for further requests. */
const MAX_CACHED_GRAMMARS = 64;

/** Grammars of a model's requests; recently used ones stay ready for use. */
export class GrammarLibrary {
  readonly #vocabulary: GrammarVocabulary;
  #grammars = createCache();
  #epoch: GrammarEpoch;

  constructor(vocabulary: GrammarVocabulary) {
    this.#vocabulary = vocabulary;
    this.#epoch = new GrammarEpoch(vocabulary);
  }

  /** Returns the grammar of a key, building it if it is not cached. */
  open({ key, json }: PreparedGrammar): TokenGrammar {
    if (this.#epoch.isFull) {
      this.#epoch = new GrammarEpoch(this.#vocabulary);
      this.#grammars = createCache();
    }
    return this.#grammars.get(key, () => this.#epoch.open(json));
  }
}

function createCache(): BoundedCache<string, TokenGrammar> {
  return new BoundedCache(MAX_CACHED_GRAMMARS, () => 1);
}
