import type { Grammar } from "./grammar.js";
import { ANY_KEY, ANY_STRING } from "./json-text.js";
import { ExpressionBuilder } from "./language/build-expression.js";
import { listBytes } from "./language/byte-sets.js";
import { derivative, derivativeByToken } from "./language/derivative.js";
import type { Expression } from "./language/expression.js";
import { ExpressionStore } from "./language/expression-store.js";
import { firstBytes, isNullable, leadingTokens } from "./language/first-symbols.js";
import type { WorkAllowance } from "./language/work-limit.js";
import { allow, type TokenMask } from "./mask/token-mask.js";
import { TokenMasks } from "./mask/token-masks.js";
import type { TokenTrie } from "./mask/token-trie.js";

/** Properties of a vocabulary that grammars need. */
export interface GrammarVocabulary {
  readonly trie: TokenTrie;
  /** Returns the bytes of a token; empty for control tokens. */
  readonly bytesOf: (token: number) => Uint8Array;
  /** Control tokens by their text, except tokens that end a generation. */
  readonly controlTokens: ReadonlyMap<string, number>;
}

/** State of a text within its grammar. Immutable, so it may be kept and returned to. */
export type GrammarState = Expression;

/**
 * Maximum work, in units, of one token or the mask of one state: some 200 ms. Only hopelessly
 * ambiguous grammars exceed it.
 */
const MAX_WORK_PER_STEP = 400_000;

/** Memory of languages above which new grammars start a new epoch. */
const MAX_BYTES = 128 * 2 ** 20;
/** Memory of a grammar as plain data, per character of its JSON; measured with many schemas. */
const BYTES_PER_CHARACTER = 5;

/** Expressions and masks shared by the grammars of one period. */
export class GrammarEpoch {
  readonly store = new ExpressionStore();
  readonly masks: TokenMasks;
  readonly vocabulary: GrammarVocabulary;

  constructor(vocabulary: GrammarVocabulary) {
    this.vocabulary = vocabulary;
    this.masks = new TokenMasks(this.store, vocabulary.trie);
    // Precomputes the insides of strings: nearly every grammar contains them, and they take
    // longest.
    for (const string of [ANY_STRING, ANY_KEY]) {
      const grammar = new TokenGrammar({ root: string, rules: {} }, this);
      const stringState = grammar.advanceByBytes(grammar.start, Buffer.from('"'));
      if (stringState !== undefined) this.masks.maskOf(stringState);
    }
  }

  /** Whether new grammars should start another epoch: nothing is evicted within one. */
  get isFull(): boolean {
    return this.store.meter.keptBytes > MAX_BYTES;
  }

  /**
   * Builds a grammar within this epoch. It is kept as long as the epoch, as its rules are built on
   * demand.
   * @param json a {@link Grammar}
   */
  open(json: string): TokenGrammar {
    this.store.meter.keep(json.length * BYTES_PER_CHARACTER);
    return new TokenGrammar(JSON.parse(json), this);
  }
}

/** Grammar that is followed token by token; its states belong to its epoch. */
export class TokenGrammar {
  readonly start: GrammarState;
  readonly #epoch: GrammarEpoch;

  constructor(grammar: Grammar, epoch: GrammarEpoch) {
    const { controlTokens } = epoch.vocabulary;
    this.#epoch = epoch;
    this.start = new ExpressionBuilder(epoch.store, grammar, (text) =>
      controlTokens.get(text),
    ).buildRoot();
  }

  /**
   * Runs a function that follows the grammar, with a limit on its total work and memory.
   * @throws {WorkLimitExceeded}
   */
  runWithin<Result>(allowance: WorkAllowance, follow: () => Result): Result {
    return this.#epoch.store.meter.runWithin(allowance, follow);
  }

  /**
   * Returns the state after a token; `undefined` if the grammar does not allow it.
   * @throws {WorkLimitExceeded} the grammar is too ambiguous
   */
  advanceByToken(state: GrammarState, token: number): GrammarState | undefined {
    const { store, vocabulary } = this.#epoch;
    const bytes = vocabulary.bytesOf(token);
    return store.meter.limit(MAX_WORK_PER_STEP, () => {
      if (bytes.length === 0) return this.#toState(derivativeByToken(store, state, token));
      return this.#advanceByBytes(state, bytes);
    });
  }

  /** Returns the state after some bytes; `undefined` if the grammar does not allow them. */
  advanceByBytes(state: GrammarState, bytes: Uint8Array): GrammarState | undefined {
    return this.#epoch.store.meter.limit(MAX_WORK_PER_STEP, () =>
      this.#advanceByBytes(state, bytes),
    );
  }

  /** Whether the text may end in a state. */
  canEnd(state: GrammarState): boolean {
    return isNullable(state);
  }

  /** Whether the text must end in a state, as nothing may follow. */
  mustEnd(state: GrammarState): boolean {
    return state === this.#epoch.store.empty;
  }

  /**
   * Returns the mask of tokens that may come next, except tokens that end a generation. The
   * caller must not change it.
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
   * Returns the bytes that must follow, at most `maxBytes`.
   * @throws {WorkLimitExceeded} the grammar is too ambiguous
   */
  computeForcedBytes(state: GrammarState, maxBytes: number): Uint8Array {
    return this.#epoch.store.meter.limit(MAX_WORK_PER_STEP, () =>
      this.#computeForcedBytes(state, maxBytes),
    );
  }

  #computeForcedBytes(state: GrammarState, maxBytes: number): Uint8Array {
    const { store } = this.#epoch;
    const forced: number[] = [];
    let current = state;
    while (forced.length < maxBytes && !isNullable(current)) {
      const { size } = firstBytes(store, current);
      if (size !== 1 || leadsToTokens(current)) break;
      const [byte = 0] = listBytes(firstBytes(store, current));
      const next = derivative(store, current, byte);
      if (next === store.nothing) break;
      forced.push(byte);
      current = next;
    }
    return Uint8Array.from(forced);
  }

  #advanceByBytes(state: GrammarState, bytes: Uint8Array): GrammarState | undefined {
    const { store } = this.#epoch;
    let current = state;
    for (const byte of bytes) {
      current = derivative(store, current, byte);
      if (current === store.nothing) return undefined;
    }
    return current;
  }

  #toState(state: Expression): GrammarState | undefined {
    return state === this.#epoch.store.nothing ? undefined : state;
  }
}

function leadsToTokens(state: Expression): boolean {
  const leading = leadingTokens(state);
  return leading.kind === "any" || leading.tokens.length > 0;
}
