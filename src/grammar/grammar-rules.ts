import type { LarkParameter } from "../core/generation-request.js";
import type { RequestedConstraint } from "../core/output-constraint.js";
import type { ArgumentSet, PlainTextOf } from "./argument-set.js";
import { constraintGrammar, refusing } from "./constraint-grammar.js";
import type { GrammarNode } from "./grammar.js";
import { rule } from "./grammar-nodes.js";
import { schemaArguments } from "./json-schema/schema-arguments.js";
import { ANY_VALUE, JSON_RULES } from "./json-text/json-text.js";
import { larkArguments, larkObject } from "./lark/lark-arguments.js";

/** Arguments of a tool that are written one by one. */
interface RequestedArguments {
  readonly schema: unknown;
  /** Where the schema stands in the request. */
  readonly field: string;
  readonly plainTextOf: PlainTextOf;
}

/** Arguments of a tool that are one text of a grammar in Lark's notation. */
interface RequestedLark {
  readonly parameter: LarkParameter;
  /** Where the grammar stands in the request. */
  readonly field: string;
}

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
    const { root, rules } = constraintGrammar(constraint, this.#nextPrefix());
    this.#rules = { ...this.#rules, ...rules };
    return root;
  }

  /**
   * Adds the rules of the arguments that satisfy a schema, for syntaxes that write each by itself.
   * @throws {GgufdError} `invalid_request`
   */
  addArguments({ schema, field, plainTextOf }: RequestedArguments): readonly ArgumentSet[] {
    const { sets, rules } = refusing(field, () =>
      schemaArguments(schema, this.#nextPrefix(), plainTextOf),
    );
    this.#rules = { ...this.#rules, ...rules };
    return sets;
  }

  /**
   * Adds the rules of the arguments that are one text of a grammar in Lark's notation.
   * @returns these arguments as JSON objects
   * @throws {GgufdError} `invalid_request`
   */
  addLark({ parameter, field }: RequestedLark): GrammarNode {
    const { root, rules } = refusing(field, () => larkObject(parameter, this.#nextPrefix()));
    this.#rules = { ...this.#rules, ...rules };
    return root;
  }

  /**
   * The same for syntaxes that write each argument by itself.
   * @throws {GgufdError} `invalid_request`
   */
  addLarkArguments(
    { parameter, field }: RequestedLark,
    plainTextOf: PlainTextOf,
  ): readonly ArgumentSet[] {
    const { sets, rules } = refusing(field, () =>
      larkArguments(parameter, this.#nextPrefix(), plainTextOf),
    );
    this.#rules = { ...this.#rules, ...rules };
    return sets;
  }

  #nextPrefix(): string {
    return `value${this.#added++}`;
  }
}
