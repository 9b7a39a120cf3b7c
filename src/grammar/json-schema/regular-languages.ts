import { WorkLimitExceeded } from "../errors.js";
import type { GrammarNode } from "../grammar.js";
import { ExpressionBuilder } from "../language/build-expression.js";
import { listBytes } from "../language/byte-sets.js";
import { SURROGATES } from "../language/code-point-set.js";
import { derivative, isProductive } from "../language/derivative.js";
import type { Expression } from "../language/expression.js";
import type { ExpressionStore } from "../language/expression-store.js";
import { byteRepresentatives, firstBytes, isNullable } from "../language/first-symbols.js";
import { parseRegex } from "../regex/parse-regex.js";
import { regexGrammar } from "../regex/regex-grammar.js";

/** Maximum length of listed texts. */
const MAX_LISTED_BYTES = 100;

/**
 * Length up to which all texts are tried, including the quote: typical tokens are as long, and most
 * texts differ within it.
 */
const TRIAL_BYTES = 5;
/** Nearly three times the work of the hardest of 388 expressions in use. */
const MAX_TRIAL_WORK = 100_000;

/** Bytes of a text that are followed, in a computed language, in the time of one unit of work. */
const BYTES_PER_UNIT = 8;

/** Prefix of a text, and the state after it. */
interface Prefix {
  readonly bytes: readonly number[];
  readonly state: Expression;
}

/** Answers questions about regular languages while a schema is compiled. */
export class RegularLanguages {
  readonly #store: ExpressionStore;
  readonly #builder: ExpressionBuilder;
  readonly #byPattern = new Map<string, GrammarNode>();

  constructor(store: ExpressionStore) {
    this.#store = store;
    const none = { root: { type: "words", words: [] }, rules: {} } as const;
    this.#builder = new ExpressionBuilder(store, none, () => undefined);
  }

  /**
   * Returns the JSON-encoded strings that contain a match of a pattern; the same object for the
   * same pattern.
   * @throws {RegexError}
   */
  withPattern(pattern: string): GrammarNode {
    let language = this.#byPattern.get(pattern);
    if (language === undefined) {
      language = regexGrammar(parseRegex(pattern), "anywhere", "in-json");
      this.#byPattern.set(pattern, language);
    }
    return language;
  }

  /** Whether no text is in all of the languages. */
  areDisjoint(languages: readonly GrammarNode[]): boolean {
    const [only, ...others] = languages;
    if (only !== undefined && others.length === 0 && surelyHasText(only)) return false;
    return !isProductive(this.#store, this.#intersect(languages));
  }

  /**
   * Whether a language can be followed with reasonable work, judged by the first few bytes of its
   * texts. Overlapping nested counts combined with assertions have too many states for token masks.
   */
  isTractable(language: GrammarNode): boolean {
    const start = this.#builder.build(language);
    if (!start.isDoubtful || !start.isCounted) return true;
    try {
      this.#store.meter.limit(MAX_TRIAL_WORK, () => this.#explore(start));
      return true;
    } catch (error) {
      if (error instanceof WorkLimitExceeded) return false;
      throw error;
    }
  }

  #explore(start: Expression): void {
    const seen = new Set([start]);
    let latest: readonly Expression[] = [start];
    for (let bytes = 0; bytes < TRIAL_BYTES; bytes++) {
      const next = latest.flatMap((state) =>
        byteRepresentatives(this.#store, state).map((byte) => derivative(this.#store, state, byte)),
      );
      this.#store.meter.spend(next.length);
      latest = [...new Set(next)].filter((state) => !seen.has(state));
      for (const state of latest) seen.add(state);
    }
  }

  /** Whether all of the languages contain a text. */
  allHave(languages: readonly GrammarNode[], text: string): boolean {
    const bytes = Buffer.from(text);
    this.#store.meter.spend(1 + (bytes.length * languages.length) / BYTES_PER_UNIT);
    return languages.every((language) => {
      let state = this.#builder.build(language);
      for (const byte of bytes) state = derivative(this.#store, state, byte);
      return isNullable(state);
    });
  }

  /**
   * Lists the texts that are in all of the languages; `undefined` if there are more than `max`, or
   * if they are too long.
   */
  textsOf(languages: readonly GrammarNode[], max: number): readonly string[] | undefined {
    const texts: string[] = [];
    let openPrefixes: readonly Prefix[] = [{ bytes: [], state: this.#intersect(languages) }];
    for (let length = 0; openPrefixes.length > 0; length++) {
      const completePrefixes = openPrefixes.filter(({ state }) => isNullable(state));
      texts.push(...completePrefixes.map(({ bytes }) => Buffer.from(bytes).toString()));
      if (texts.length > max || openPrefixes.length > max || length > MAX_LISTED_BYTES)
        return undefined;
      openPrefixes = openPrefixes.flatMap((prefix) => this.#extendPrefix(prefix));
      this.#store.meter.spend(openPrefixes.length);
    }
    return texts;
  }

  /** Extends a prefix by each byte that leads to some text. */
  #extendPrefix({ bytes, state }: Prefix): readonly Prefix[] {
    return listBytes(firstBytes(this.#store, state))
      .map((byte) => ({ bytes: [...bytes, byte], state: derivative(this.#store, state, byte) }))
      .filter(({ state: next }) => isProductive(this.#store, next));
  }

  #intersect(languages: readonly GrammarNode[]): Expression {
    return this.#store.intersection(languages.map((node) => this.#builder.build(node)));
  }
}

/** Whether a language obviously contains a text, as most do, without searching its states. */
function surelyHasText(node: GrammarNode): boolean {
  switch (node.type) {
    case "words":
      return node.words.length > 0;
    case "character":
      return node.ranges.some(([first, last]) => first < SURROGATES[0] || last > SURROGATES[1]);
    case "sequence":
      return node.parts.every(surelyHasText);
    case "choice":
      return node.options.some(surelyHasText);
    case "repeat":
      return node.min === 0 || surelyHasText(node.of);
    case "lexeme":
      return surelyHasText(node.of);
    default:
      return false;
  }
}
