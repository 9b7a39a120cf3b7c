import assert from "node:assert/strict";
import { GgufdError } from "../../core/errors.js";
import { WorkLimitExceeded } from "../../grammar/errors.js";
import { WorkAllowance } from "../../grammar/language/work-limit.js";
import { allow } from "../../grammar/mask/token-mask.js";
import type { GrammarState, TokenGrammar } from "../../grammar/token-grammar.js";
import type { TokenConstraint } from "../native/token-context.js";

export interface GrammarProgressOptions {
  readonly grammar: TokenGrammar;
  /** Tokens that end a generation; allowed where the text may end. */
  readonly endOfGeneration: ReadonlySet<number>;
  /** Tokenizes a text that continues another one. */
  readonly tokenize: (text: string) => readonly number[];
}

/** Maximum bytes of forced text tokenized at once; longer text is split. */
const MAX_FORCED_BYTES = 256;

/** Maximum total work of a generation; a hostile grammar reaches it within seconds. */
const MAX_WORK = 8_000_000;
/** Maximum memory that a generation may add to the caches of grammars. */
const MAX_KEPT_BYTES = 128 * 2 ** 20;

/**
 * The progress of one generation in its grammar, with the generation's total work limit. Exceeding
 * the grammar library's limit raises a `GgufdError`.
 */
export class GrammarProgress implements GenerationConstraint {
  readonly #options: GrammarProgressOptions;
  readonly #allowance = new WorkAllowance(MAX_WORK, MAX_KEPT_BYTES);
  #state: GrammarState;
  /** The rest of the last computed forced text; `undefined` if not computed. */
  #forcedRest: readonly number[] | undefined;
  /** The last checked token, and the state after it. */
  #checkedToken: { readonly token: number; readonly state: GrammarState | undefined } | undefined;

  constructor(options: GrammarProgressOptions) {
    this.#options = options;
    this.#state = options.grammar.start;
  }

  /** Whether the text is complete, so that nothing may follow. */
  get isComplete(): boolean {
    return this.#options.grammar.mustEnd(this.#state);
  }

  /**
   * Returns whether a token may come next.
   * @throws {GgufdError} `invalid_request`: the grammar is too ambiguous
   */
  allows(token: number): boolean {
    const { grammar, endOfGeneration } = this.#options;
    if (endOfGeneration.has(token)) return grammar.canEnd(this.#state);
    const state = this.#runWithin(() => grammar.advanceByToken(this.#state, token));
    this.#checkedToken = { token, state };
    return state !== undefined;
  }

  /**
   * Returns the tokens that may come next: one bit per token of the vocabulary, lowest first.
   * @throws {GgufdError} `invalid_request`: the grammar is too ambiguous
   */
  allowedTokens(): Uint32Array {
    const { grammar, endOfGeneration } = this.#options;
    const mask = this.#runWithin(() => grammar.maskOf(this.#state));
    if (!grammar.canEnd(this.#state)) return mask;
    const maskWithEnd = mask.slice();
    for (const token of endOfGeneration) allow(maskWithEnd, token);
    return maskWithEnd;
  }

  /**
   * Advances by the next token.
   * @throws {GgufdError} `invalid_request`: the grammar is too ambiguous
   */
  accept(token: number): void {
    const { grammar, endOfGeneration } = this.#options;
    if (endOfGeneration.has(token)) return;
    const next =
      this.#checkedToken?.token === token
        ? this.#checkedToken.state
        : this.#runWithin(() => grammar.advanceByToken(this.#state, token));
    assert(next !== undefined, `the grammar does not allow token ${token}`);
    this.#state = next;
    this.#checkedToken = undefined;
    const remainingTokens = this.#forcedRest?.[0] === token ? this.#forcedRest.slice(1) : [];
    this.#forcedRest = remainingTokens.length > 0 ? remainingTokens : undefined;
  }

  /**
   * Returns tokens that must follow, at most `maxTokens`. They depend on the text alone, not on
   * when or how often this is called: answers are independent of how many tokens are evaluated at
   * once.
   * @throws {GgufdError} `invalid_request`: the grammar is too ambiguous
   */
  forcedTokens(maxTokens: number): readonly number[] {
    assert(maxTokens >= 0, `negative maximum of forced tokens: ${maxTokens}`);
    this.#forcedRest ??= this.#runWithin(() => this.#computeForcedTokens());
    return this.#forcedRest.slice(0, maxTokens);
  }

  /**
   * Computes the forced tokens. If more text may follow, the last one is omitted: the model might
   * combine it with what comes next into one token.
   */
  #computeForcedTokens(): readonly number[] {
    const { grammar, tokenize } = this.#options;
    const bytes = grammar.computeForcedBytes(this.#state, MAX_FORCED_BYTES);
    if (bytes.length === 0) return [];
    const forced: number[] = [];
    let state = this.#state;
    for (const token of tokenize(decodeWholeCharacters(bytes))) {
      const next = grammar.advanceByToken(state, token);
      if (next === undefined) break;
      forced.push(token);
      state = next;
    }
    return grammar.mustEnd(state) ? forced : forced.slice(0, -1);
  }

  #runWithin<Result>(follow: () => Result): Result {
    try {
      return this.#options.grammar.runWithin(this.#allowance, follow);
    } catch (error) {
      if (!(error instanceof WorkLimitExceeded)) throw error;
      throw new GgufdError("invalid_request", "The grammar is too ambiguous.", {
        cause: error,
      });
    }
  }
}

/** Decodes bytes, dropping an incomplete character at the end. */
function decodeWholeCharacters(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true });
}

/** A constraint that follows a generation token by token. */
export interface GenerationConstraint extends TokenConstraint {
  /** Whether the text is complete, so that nothing may follow. */
  readonly isComplete: boolean;
  /** Advances by the next token, which must be allowed. */
  accept(token: number): void;
  /** Returns tokens that must follow whatever the model predicts, at most `maxTokens`. */
  forcedTokens(maxTokens: number): readonly number[];
}
