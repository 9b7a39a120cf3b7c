import type { GrammarNode } from "../../../core/grammar.js";
import { ExpressionBuilder } from "../language/build-expression.js";
import { derivative } from "../language/derivative.js";
import type { Expression } from "../language/expression.js";
import type { ExpressionStore } from "../language/expression-store.js";
import { isNullable } from "../language/nullable.js";
import { isProductive } from "../language/productive.js";

/** Work of a state of one language, in the units of the store: expressions. */
const STATE_COST = 2;

/** Answers questions about regular languages while a schema is compiled. */
export class Languages {
  readonly #store: ExpressionStore;
  readonly #builder: ExpressionBuilder;

  constructor(store: ExpressionStore) {
    this.#store = store;
    const none = { root: { type: "words", words: [] }, rules: {} } as const;
    this.#builder = new ExpressionBuilder(store, none, () => undefined);
  }

  /** Whether no text is in all of the languages. */
  areDisjoint(languages: readonly GrammarNode[]): boolean {
    const before = this.#store.size;
    const isDisjoint = !isProductive(this.#store, this.#all(languages), derivative);
    // Each state of the search is a state of each part.
    const parts = languages.reduce((sum, language) => sum + partsIn(language), 0);
    this.#store.meter.spend((this.#store.size - before) * parts * STATE_COST);
    return isDisjoint;
  }

  /** Whether a text is in all of the languages. */
  allHave(languages: readonly GrammarNode[], text: string): boolean {
    let state = this.#all(languages);
    for (const byte of Buffer.from(text)) state = derivative(this.#store, state, byte);
    return isNullable(state);
  }

  #all(languages: readonly GrammarNode[]): Expression {
    return this.#store.intersection(languages.map((node) => this.#builder.build(node)));
  }
}

/** How many languages are combined in one. */
function partsIn(node: GrammarNode): number {
  switch (node.type) {
    case "intersection":
      return node.parts.reduce((sum, part) => sum + partsIn(part), 0);
    case "complement":
    case "lexeme":
      return partsIn(node.of);
    default:
      return 1;
  }
}
