import { BoundedCache } from "./bounded-cache.js";
import { GrammarEpoch, type GrammarVocabulary, type TokenGrammar } from "./token-grammar.js";

/** A grammar, and a name that equal grammars share. Plain data. */
export interface PreparedGrammar {
  readonly key: string;
  /** A grammar (`grammar.ts`). As text it costs little between processes, and nothing more where the key is known. */
  readonly json: string;
}

/** Grammars that are kept for further requests. */
const MAX_KEPT = 64;

/** The grammars of a model's requests, those that were used lately ready for use. */
export class GrammarLibrary {
  readonly #vocabulary: GrammarVocabulary;
  #kept = emptyCache();
  #epoch: GrammarEpoch;

  constructor(vocabulary: GrammarVocabulary) {
    this.#vocabulary = vocabulary;
    this.#epoch = new GrammarEpoch(vocabulary);
  }

  /** A grammar, ready for use. */
  open({ key, json }: PreparedGrammar): TokenGrammar {
    if (this.#epoch.isFull) {
      this.#epoch = new GrammarEpoch(this.#vocabulary);
      this.#kept = emptyCache();
    }
    return this.#kept.get(key, () => this.#epoch.open(json));
  }
}

function emptyCache(): BoundedCache<string, TokenGrammar> {
  return new BoundedCache(MAX_KEPT, () => 1);
}
