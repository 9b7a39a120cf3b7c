import type { GrammarNode, NamedMember } from "./grammar.js";

/**
 * Combinations of arguments that a tool's schema allows, for syntaxes that write each parameter
 * separately.
 */
export interface ArgumentSet {
  /** Parameters in the order in which they are written. */
  readonly parameters: readonly ParameterValues[];
  /** Minimum number of arguments. */
  readonly min: number;
  /** Maximum number of arguments; absent: no limit. */
  readonly max?: number | undefined;
}

/** Values that a parameter may have. */
export interface ParameterValues {
  readonly name: string;
  readonly presence: NamedMember["presence"];
  /** String values, unencoded; `undefined`: none are allowed. */
  readonly strings: GrammarNode | undefined;
  /** All other values, as JSON; `undefined`: none are allowed. */
  readonly others: GrammarNode | undefined;
  /** All values, as JSON. */
  readonly json: GrammarNode;
}

/**
 * Returns the texts that can be written unquoted as the string value of a parameter, such as all
 * texts without the parameter's closing mark.
 */
export type PlainTextOf = (parameter: string) => GrammarNode;
