import { BoundedCache } from "../bounded-cache.js";
import type { Expression } from "../language/expression.js";
import type { ExpressionStore } from "../language/expression-store.js";
import { isNullable } from "../language/nullable.js";
import { LexemeMasks } from "./lexeme-masks.js";
import { allowNode, emptyMask, type TokenMask } from "./token-mask.js";
import type { TokenTrie } from "./token-trie.js";
import { TrieWalk } from "./trie-walk.js";

/** Memory for masks of states at most. */
const MAX_BYTES = 32 * 2 ** 20;

/** Which tokens may come next, for the states of grammars. */
export class TokenMasks {
  readonly #store: ExpressionStore;
  readonly #trie: TokenTrie;
  readonly #walk: TrieWalk;
  readonly #lexemes: LexemeMasks;
  readonly #masks = new BoundedCache<Expression, TokenMask>(MAX_BYTES, (mask) => mask.byteLength);

  constructor(store: ExpressionStore, trie: TokenTrie) {
    this.#store = store;
    this.#trie = trie;
    this.#walk = new TrieWalk(store, trie);
    this.#lexemes = new LexemeMasks(store, trie, this.#walk);
  }

  /** The tokens with text that may come next in a state. The mask is kept: it must not be changed. */
  maskOf(state: Expression): TokenMask {
    return this.#masks.get(state, () => {
      const mask = emptyMask(this.#trie);
      this.#allow(mask, state, this.#store.empty);
      return mask;
    });
  }

  #allow(mask: TokenMask, head: Expression, tail: Expression): void {
    const { form } = head;
    switch (form.kind) {
      case "choice":
        for (const option of form.options) this.#allow(mask, option, tail);
        break;
      case "sequence":
        this.#allow(mask, form.head, this.#store.sequence(form.tail, tail));
        break;
      case "rule":
        this.#allow(mask, form.body(), tail);
        break;
      case "scan":
        // Where a trigger ends it, it may end at few places only.
        if (form.ends === "with-trigger") this.#lexemes.allowFor(mask, head, tail);
        else this.#walkAll(mask, this.#store.sequence(head, tail));
        break;
      case "lexeme":
        this.#lexemes.allowFor(mask, head, tail);
        if (isNullable(head)) this.#allow(mask, tail, this.#store.empty);
        break;
      case "empty":
        if (tail !== this.#store.empty) this.#allow(mask, tail, this.#store.empty);
        break;
      default:
        this.#walkAll(mask, this.#store.sequence(head, tail));
    }
  }

  #walkAll(mask: TokenMask, state: Expression): void {
    this.#walk.fromRoot(state, (node) => allowNode(mask, this.#trie, node));
  }
}
