import type { GrammarSource } from "../rules/grammar-source.js";

const RULE = /_*[a-z](?:[_a-z0-9]|-(?!>))*/y;
const TERMINAL = /_*[A-Z](?:[_A-Z0-9]|-(?!>))*/y;

/**
 * Reads a name: of a rule in lower case, of a terminal in upper case.
 * @returns `undefined`: there is none
 * @throws {UnsupportedGrammar} its letters are of either case
 */
export function readName(source: GrammarSource, kind: "rule" | "terminal" | "any") {
  const isKind = (one: "rule" | "terminal") => kind === one || kind === "any";
  const name =
    (isKind("rule") ? source.takeMatch(RULE) : undefined) ??
    (isKind("terminal") ? source.takeMatch(TERMINAL) : undefined);
  if (name !== undefined && /[A-Za-z0-9_]/.test(source.next ?? "")) {
    throw source.expected("a name of which all letters are in lower case or all in upper case");
  }
  return name;
}

/** The rule of what is ignored: its name is that of the directive. */
export const IGNORED = "%ignore";

/** Whether a name is one of a rule, rather than of a terminal or of what is read as one. */
export function isRule(name: string): boolean {
  return /^_*[a-z]\S*$/.test(name);
}

/** The name of a literal, which no rule and no terminal has. */
export function literalName(kind: "expression" | "set", index: number): string {
  return `${kind} ${index}`;
}

/** A name as errors have it. */
export function shownName(name: string): string {
  if (name === IGNORED) return name;
  if (isRule(name)) return `rule ${name}`;
  return /\s/.test(name) ? "this literal" : `terminal ${name}`;
}
