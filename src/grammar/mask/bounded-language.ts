import type { CharacterEncoding } from "../grammar.js";
import { characterExpression } from "../language/character-expression.js";
import { ALL_CODE_POINTS } from "../language/code-point-set.js";
import { completionLengths } from "../language/completion-length.js";
import type { Expression, Form } from "../language/expression.js";
import type { ExpressionStore } from "../language/expression-store.js";
import { isNullable } from "../language/first-symbols.js";
import { MAX_TOKEN_BYTES } from "./token-trie.js";

/** Not a token of any vocabulary: a sequence that needs it cannot end, but is no dead end. */
const NO_TOKEN = -1;
const MAX_CACHED = 100_000;

/** Number of characters, and the same language without its maximum. */
interface Limit {
  readonly min: number;
  readonly max: number;
  readonly unlimited: Expression;
}

/**
 * Simplifies languages for a limited number of bytes: counts that the bytes cannot exhaust become
 * unlimited, and repetitions that they cannot complete become endless. The insides of all strings
 * then share few languages.
 */
export class Reach {
  readonly #store: ExpressionStore;
  readonly #known = new Map<number, Expression>();

  /**
   * Maps each expression that matches any single character to its unlimited repetition. Inside JSON
   * strings, the repetition is any bytes, because other parts of the pattern restrict them to
   * characters; in plain text, the character is repeated, because the complement of a plain text
   * may allow any bytes.
   */
  readonly #unlimited: ReadonlyMap<Expression, Expression>;

  constructor(store: ExpressionStore) {
    this.#store = store;
    const any = (encoding: CharacterEncoding) =>
      characterExpression(store, { type: "character", ranges: ALL_CODE_POINTS, encoding });
    const plain = any("plain");
    this.#unlimited = new Map([
      [any("in-json"), store.anything],
      [plain, store.repeat(plain, 0, Number.POSITIVE_INFINITY)],
    ]);
  }

  /** Returns a language that equals the given one for the given number of bytes. */
  simplify(language: Expression, bytes: number): Expression {
    if (!language.isCounted) return language;
    const key = language.id * (MAX_TOKEN_BYTES + 1) + bytes;
    let reachable = this.#known.get(key);
    if (reachable === undefined) {
      this.#store.meter.spend(1);
      reachable = this.#limit(language, bytes);
      if (this.#known.size >= MAX_CACHED) this.#known.clear();
      this.#known.set(key, reachable);
    }
    return reachable;
  }

  #limit(language: Expression, bytes: number): Expression {
    const store = this.#store;
    const { form } = language;
    switch (form.kind) {
      case "lexeme":
        return store.lexeme(this.simplify(form.of, bytes));
      case "sequence":
        return store.sequence(this.simplify(form.head, bytes), this.simplify(form.tail, bytes));
      case "choice":
        return store.choice(form.options.map((option) => this.simplify(option, bytes)));
      case "repeat":
        return this.#repeat(language, form, bytes);
      case "intersection":
        return this.#intersection(language, form.parts, bytes);
      default:
        return language;
    }
  }

  #repeat(
    language: Expression,
    { of, min, max }: Extract<Form, { kind: "repeat" }>,
    bytes: number,
  ): Expression {
    if (max <= 1 || isNullable(of)) return language;
    const isEndless = min > Math.max(1, bytes);
    const reachable = this.#store.repeat(of, isEndless ? 0 : min, max < bytes ? max : Infinity);
    return isEndless
      ? this.#store.sequence(reachable, this.#store.controlToken(NO_TOKEN))
      : reachable;
  }

  /**
   * Drops the maximum length of a string in one other language if that language can always be
   * completed within the remaining length, also if a text must be extended to its minimum length.
   * Otherwise the length may exclude a path before it is reached.
   */
  #intersection(language: Expression, parts: readonly Expression[], bytes: number): Expression {
    const limits = parts.map((part) => this.#limitOf(part));
    const [other, ...others] = parts.filter((_, index) => limits[index] === undefined);
    if (other === undefined || others.length > 0) return language;
    const { longestWay, isOpenEnded } = completionLengths(other);
    if (!Number.isFinite(longestWay)) return language;
    return this.#store.intersection(
      parts.map((part, index) => {
        const limit = limits[index];
        if (limit === undefined || (limit.min > 0 && !isOpenEnded)) return part;
        return limit.max - bytes >= Math.max(longestWay, limit.min) ? limit.unlimited : part;
      }),
    );
  }

  /** Returns the number of characters that a language allows, if it has no other condition. */
  #limitOf({ form }: Expression): Limit | undefined {
    if (form.kind !== "repeat") return undefined;
    const { of, min, max } = form;
    const any = this.#unlimited.get(of);
    if (any === undefined) return undefined;
    const unlimited = min === 0 ? any : this.#store.repeat(of, min, Number.POSITIVE_INFINITY);
    return { min, max, unlimited };
  }
}
