import { type GgufdError, refusalOf } from "../../../../core/errors.js";
import type { LarkParameter } from "../../../../core/generation-request.js";
import type { RequestedConstraint } from "../../../../core/output-constraint.js";
import type { ArgumentSet, PlainTextOf } from "../../../../grammar/argument-set.js";
import { constraintGrammar } from "../../../../grammar/constraint-grammar.js";
import { RegexError, UnsupportedGrammar, WorkLimitExceeded } from "../../../../grammar/errors.js";
import { type GrammarNode, rule } from "../../../../grammar/grammar.js";
import { schemaArguments } from "../../../../grammar/json-schema/schema-arguments.js";
import { ANY_VALUE, JSON_RULES } from "../../../../grammar/json-text.js";
import { larkArguments, larkObject } from "../../../../grammar/lark/lark-arguments.js";

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

/**
 * The rules of a grammar that is put together from several constraints of a request. Here the errors of the grammar
 * library become refusals that name the request's field.
 */
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
  add({ constraint, field }: RequestedConstraint): GrammarNode {
    const { root, rules } = refusing(field, () =>
      constraintGrammar(constraint, this.#nextPrefix()),
    );
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

/**
 * Makes a grammar, or a part of one, of a field of a request.
 * @throws {GgufdError} `invalid_request` for what cannot be honoured, naming its place in the field
 */
function refusing<Result>(field: string, make: () => Result): Result {
  try {
    return make();
  } catch (error) {
    if (error instanceof UnsupportedGrammar) {
      throw refusal([field, ...error.path].join("."), error.message, error);
    }
    if (error instanceof RegexError) throw refusal(field, error.message, error);
    if (error instanceof WorkLimitExceeded) {
      throw refusal(field, "expected something simpler: it takes too much work", error);
    }
    throw error;
  }
}

function refusal(field: string, reason: string, cause: unknown): GgufdError {
  return refusalOf("invalid_request", [{ field, reason }], { cause });
}
