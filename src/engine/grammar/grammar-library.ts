import type { PreparedGrammar } from "../../core/generation-request.js";
import { GrammarEpoch, type GrammarVocabulary, TokenGrammar } from "./token-grammar.js";

/** Grammars that are kept for further requests. */
const MAX_KEPT = 64;

/** The grammars of a model's requests, those that were used lately ready for use. */
export class GrammarLibrary {
  readonly #vocabulary: GrammarVocabulary;
  readonly #kept = new Map<string, TokenGrammar>();
  #epoch: GrammarEpoch;

  constructor(vocabulary: GrammarVocabulary) {
    this.#vocabulary = vocabulary;
    this.#epoch = new GrammarEpoch(vocabulary);
  }

  /** A grammar, ready for use. */
  open({ key, grammar }: PreparedGrammar): TokenGrammar {
    if (this.#epoch.isFull) {
      this.#epoch = new GrammarEpoch(this.#vocabulary);
      this.#kept.clear();
    }
    const opened = this.#kept.get(key) ?? new TokenGrammar(grammar, this.#epoch);
    this.#kept.delete(key);
    this.#kept.set(key, opened);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return opened;
  }
}
