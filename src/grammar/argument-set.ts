import type { GrammarNode, NamedMember } from "./grammar.js";

/** Arguments that a tool's schema allows together, for syntaxes that write each parameter by itself. */
export interface ArgumentSet {
  /** In the order in which they are written. */
  readonly parameters: readonly ParameterValues[];
  /** How many of them there are. */
  readonly min: number;
  /** Absent: no limit. */
  readonly max?: number | undefined;
}

/** The values that a parameter may have. */
export interface ParameterValues {
  readonly name: string;
  readonly presence: NamedMember["presence"];
  /** The strings as they are; `undefined`: there are none. */
  readonly strings: GrammarNode | undefined;
  /** All other values, in JSON; `undefined`: there are none. */
  readonly others: GrammarNode | undefined;
  /** All values, in JSON. */
  readonly json: GrammarNode;
}

/** The texts that a frame can hold as a string: those without the mark that closes it, for example. */
export type PlainTextOf = (parameter: string) => GrammarNode;
