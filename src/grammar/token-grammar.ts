import type { Grammar } from "./grammar.js";
import { ANY_KEY, ANY_STRING } from "./json-text.js";
import { ExpressionBuilder } from "./language/build-expression.js";
import { bytesOf } from "./language/byte-sets.js";
import { derivative, derivativeByToken } from "./language/derivative.js";
import type { Expression } from "./language/expression.js";
import { ExpressionStore } from "./language/expression-store.js";
import { firstBytes, isNullable, leadingTokens } from "./language/first-symbols.js";
import type { WorkAllowance } from "./language/work-limit.js";
import { allow, type TokenMask } from "./mask/token-mask.js";
import { TokenMasks } from "./mask/token-masks.js";
import type { TokenTrie } from "./mask/token-trie.js";

/** What following grammars needs of a vocabulary. */
export interface GrammarVocabulary {
  readonly trie: TokenTrie;
  /** The bytes that a token stands for; none for control tokens. */
  readonly bytesOf: (token: number) => Uint8Array;
  /** The control tokens but those that end a generation, by their texts. */
  readonly controlTokens: ReadonlyMap<string, number>;
}

/** Where a text stands in its grammar. Immutable: it may be kept and returned to. */
export type GrammarState = Expression;

/**
 * Work that a token, or the mask of a state, may take: some 200 ms. More of it means a hopelessly ambiguous
 * grammar.
 */
const MAX_WORK_PER_STEP = 400_000;

/** Memory of languages above which new grammars begin a new epoch. */
const MAX_BYTES = 128 * 2 ** 20;
/** Memory of a grammar as plain data, for each character of its JSON: as measured with many schemas. */
const BYTES_PER_CHARACTER = 5;

/** The languages that the grammars of one time share, and their masks. */
export class GrammarEpoch {
  readonly store = new ExpressionStore();
  readonly masks: TokenMasks;
  readonly vocabulary: GrammarVocabulary;

  constructor(vocabulary: GrammarVocabulary) {
    this.vocabulary = vocabulary;
    this.masks = new TokenMasks(this.store, vocabulary.trie);
    // The insides of strings are part of nearly every grammar, and take longest.
    for (const string of [ANY_STRING, ANY_KEY]) {
      const grammar = new TokenGrammar({ root: string, rules: {} }, this);
      const inside = grammar.afterBytes(grammar.start, Buffer.from('"'));
      if (inside !== undefined) this.masks.maskOf(inside);
    }
  }

  /** Whether new grammars should begin another epoch: nothing is evicted within one. */
  get isFull(): boolean {
    return this.store.meter.keptBytes > MAX_BYTES;
  }

  /**
   * A grammar among those of this time. It is kept as long as they are: rules are built when they are reached.
   * @param json a {@link Grammar}
   */
  open(json: string): TokenGrammar {
    this.store.meter.keep(json.length * BYTES_PER_CHARACTER);
    return new TokenGrammar(JSON.parse(json), this);
  }
}

/** A grammar that is followed token by token; states belong to its epoch. */
export class TokenGrammar {
  readonly start: GrammarState;
  readonly #epoch: GrammarEpoch;

  constructor(grammar: Grammar, epoch: GrammarEpoch) {
    const { controlTokens } = epoch.vocabulary;
    this.#epoch = epoch;
    this.start = new ExpressionBuilder(epoch.store, grammar, (text) =>
      controlTokens.get(text),
    ).root();
  }

  /**
   * Follows the grammar with work that is limited in all.
   * @throws {WorkLimitExceeded}
   */
  within<Result>(allowance: WorkAllowance, follow: () => Result): Result {
    return this.#epoch.store.meter.within(allowance, follow);
  }

  /**
   * The state after a token; `undefined`: the grammar does not allow it.
   * @throws {WorkLimitExceeded} the grammar is too ambiguous
   */
  after(state: GrammarState, token: number): GrammarState | undefined {
    const { store, vocabulary } = this.#epoch;
    const bytes = vocabulary.bytesOf(token);
    return store.meter.limit(MAX_WORK_PER_STEP, () => {
      if (bytes.length === 0) return this.#alive(derivativeByToken(store, state, token));
      return this.#afterBytes(state, bytes);
    });
  }

  /** The state after some bytes; `undefined`: the grammar does not allow them. */
  afterBytes(state: GrammarState, bytes: Uint8Array): GrammarState | undefined {
    return this.#epoch.store.meter.limit(MAX_WORK_PER_STEP, () => this.#afterBytes(state, bytes));
  }

  /** Whether the text may end here. */
  canEnd(state: GrammarState): boolean {
    return isNullable(state);
  }

  /** Whether nothing may follow. */
  mustEnd(state: GrammarState): boolean {
    return state === this.#epoch.store.empty;
  }

  /**
   * The tokens that may come next, but for those that end a generation. Not to be changed.
   * @throws {WorkLimitExceeded} the grammar is too ambiguous
   */
  maskOf(state: GrammarState): TokenMask {
    const { masks, store, vocabulary } = this.#epoch;
    const mask = store.meter.limit(MAX_WORK_PER_STEP, () => masks.maskOf(state));
    const leading = leadingTokens(state);
    if (leading.kind === "some" && leading.tokens.length === 0) return mask;
    const withTokens = mask.slice();
    const candidates =
      leading.kind === "any" ? [...vocabulary.controlTokens.values()] : leading.tokens;
    for (const token of candidates) {
      if (derivativeByToken(this.#epoch.store, state, token) !== this.#epoch.store.nothing) {
        allow(withTokens, token);
      }
    }
    return withTokens;
  }

  /**
   * The bytes that must follow, at most `maxBytes`.
   * @throws {WorkLimitExceeded} the grammar is too ambiguous
   */
  forcedBytes(state: GrammarState, maxBytes: number): Uint8Array {
    return this.#epoch.store.meter.limit(MAX_WORK_PER_STEP, () =>
      this.#forcedBytes(state, maxBytes),
    );
  }

  #forcedBytes(state: GrammarState, maxBytes: number): Uint8Array {
    const { store } = this.#epoch;
    const forced: number[] = [];
    let current = state;
    while (forced.length < maxBytes && !isNullable(current)) {
      const { size } = firstBytes(store, current);
      if (size !== 1 || leadsToTokens(current)) break;
      const [byte = 0] = bytesOf(firstBytes(store, current));
      const next = derivative(store, current, byte);
      if (next === store.nothing) break;
      forced.push(byte);
      current = next;
    }
    return Uint8Array.from(forced);
  }

  #afterBytes(state: GrammarState, bytes: Uint8Array): GrammarState | undefined {
    const { store } = this.#epoch;
    let current = state;
    for (const byte of bytes) {
      current = derivative(store, current, byte);
      if (current === store.nothing) return undefined;
    }
    return current;
  }

  #alive(state: Expression): GrammarState | undefined {
    return state === this.#epoch.store.nothing ? undefined : state;
  }
}

function leadsToTokens(state: Expression): boolean {
  const leading = leadingTokens(state);
  return leading.kind === "any" || leading.tokens.length > 0;
}
