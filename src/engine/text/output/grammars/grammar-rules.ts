import { createRefusal, type GgufdError } from "../../../../core/errors.js";
import type { LarkParameter } from "../../../../core/generation-request.js";
import type { RequestedConstraint } from "../../../../core/output-constraint.js";
import type { ArgumentSet, PlainTextOf } from "../../../../grammar/argument-set.js";
import { constraintGrammar } from "../../../../grammar/constraint-grammar.js";
import { RegexError, UnsupportedGrammar, WorkLimitExceeded } from "../../../../grammar/errors.js";
import { type GrammarNode, rule } from "../../../../grammar/grammar.js";
import { schemaArguments } from "../../../../grammar/json-schema/schema-arguments.js";
import { ANY_VALUE, JSON_RULES } from "../../../../grammar/json-text.js";
import { larkArguments, larkObject } from "../../../../grammar/lark/lark-arguments.js";

/** Arguments of a tool that are written separately. */
interface RequestedArguments {
  readonly schema: unknown;
  /** Field of the schema in the request. */
  readonly field: string;
  readonly plainTextOf: PlainTextOf;
}

/** Arguments of a tool that are one text of a Lark grammar. */
interface RequestedLark {
  readonly parameter: LarkParameter;
  /** Field of the grammar in the request. */
  readonly field: string;
}

/**
 * The rules of a grammar that combines several constraints of a request. Errors of the grammar
 * library are converted into `GgufdError`s that name the request's field.
 */
export class GrammarRules {
  #rules: Record<string, GrammarNode> = { ...JSON_RULES };
  #addedCount = 0;

  readonly anyObject: GrammarNode = rule("json-object");
  readonly anyValue: GrammarNode = ANY_VALUE;

  get all(): Readonly<Record<string, GrammarNode>> {
    return this.#rules;
  }

  /**
   * Adds the rules of a constraint, under unique names.
   * @returns the grammar of its texts
   * @throws {GgufdError} `invalid_request`
   */
  add({ constraint, field }: RequestedConstraint): GrammarNode {
    const { root, rules } = withRequestErrors(field, () =>
      constraintGrammar(constraint, this.#nextPrefix()),
    );
    this.#rules = { ...this.#rules, ...rules };
    return root;
  }

  /**
   * Adds the rules of arguments that satisfy a schema, for syntaxes that write each separately.
   * @throws {GgufdError} `invalid_request`
   */
  addArguments({ schema, field, plainTextOf }: RequestedArguments): readonly ArgumentSet[] {
    const { sets, rules } = withRequestErrors(field, () =>
      schemaArguments(schema, this.#nextPrefix(), plainTextOf),
    );
    this.#rules = { ...this.#rules, ...rules };
    return sets;
  }

  /**
   * Adds the rules of arguments that are one text of a Lark grammar.
   * @returns the grammar of the arguments as JSON objects
   * @throws {GgufdError} `invalid_request`
   */
  addLark({ parameter, field }: RequestedLark): GrammarNode {
    const { root, rules } = withRequestErrors(field, () =>
      larkObject(parameter, this.#nextPrefix()),
    );
    this.#rules = { ...this.#rules, ...rules };
    return root;
  }

  /**
   * Adds the rules of Lark arguments like {@link addLark}, for syntaxes that write each separately.
   * @throws {GgufdError} `invalid_request`
   */
  addLarkArguments(
    { parameter, field }: RequestedLark,
    plainTextOf: PlainTextOf,
  ): readonly ArgumentSet[] {
    const { sets, rules } = withRequestErrors(field, () =>
      larkArguments(parameter, this.#nextPrefix(), plainTextOf),
    );
    this.#rules = { ...this.#rules, ...rules };
    return sets;
  }

  #nextPrefix(): string {
    return `value${this.#addedCount++}`;
  }
}

/**
 * Builds a grammar, or a part of one, from a field of a request.
 * @throws {GgufdError} `invalid_request` for unsupported parts, naming their path in the field
 */
function withRequestErrors<Result>(field: string, buildPart: () => Result): Result {
  try {
    return buildPart();
  } catch (error) {
    if (error instanceof UnsupportedGrammar) {
      throw createFieldRefusal([field, ...error.path].join("."), error.message, error);
    }
    if (error instanceof RegexError) throw createFieldRefusal(field, error.message, error);
    if (error instanceof WorkLimitExceeded) {
      throw createFieldRefusal(
        field,
        "expected a simpler grammar; compiling this one takes too long",
        error,
      );
    }
    throw error;
  }
}

function createFieldRefusal(field: string, reason: string, cause: unknown): GgufdError {
  return createRefusal("invalid_request", [{ field, reason }], { cause });
}
