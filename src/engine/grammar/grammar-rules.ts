import type { GrammarNode } from "../../core/grammar.js";
import { rule } from "../../core/grammar-nodes.js";
import type { RequestedConstraint } from "../../core/output-constraint.js";
import { constraintGrammar } from "./constraint-grammar.js";
import { ANY_VALUE, JSON_RULES } from "./json-text/json-text.js";

/** The rules of a grammar that is put together from several constraints. */
export class GrammarRules {
  #rules: Record<string, GrammarNode> = { ...JSON_RULES };
  #added = 0;

  /** Any JSON object. */
  readonly anyObject: GrammarNode = rule("json-object");
  /** Any JSON value. */
  readonly anyValue: GrammarNode = ANY_VALUE;

  get all(): Readonly<Record<string, GrammarNode>> {
    return this.#rules;
  }

  /**
   * Adds the rules of a constraint, under names of their own.
   * @returns its texts
   * @throws {GgufdError} `invalid_request`
   */
  add(constraint: RequestedConstraint): GrammarNode {
    const { root, rules } = constraintGrammar(constraint, `value${this.#added++}`);
    this.#rules = { ...this.#rules, ...rules };
    return root;
  }
}
