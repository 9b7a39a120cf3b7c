import type { UnsupportedGrammar } from "../errors.js";
import { buildChoice, type GrammarNode, repeat, rule, sequence } from "../grammar.js";
import type { GrammarSource } from "../rules/grammar-source.js";

const RULE = /_*[a-z](?:[_a-z0-9]|-(?!>))*/y;
const TERMINAL = /_*[A-Z](?:[_A-Z0-9]|-(?!>))*/y;

/**
 * Reads the name of a rule, in lower case, or of a terminal, in upper case.
 * @returns `undefined` if there is none
 * @throws {UnsupportedGrammar} the name mixes upper and lower case
 */
export function readName(source: GrammarSource, kind: "rule" | "terminal" | "any") {
  const isKind = (one: "rule" | "terminal") => kind === one || kind === "any";
  const name =
    (isKind("rule") ? source.takeMatch(RULE) : undefined) ??
    (isKind("terminal") ? source.takeMatch(TERMINAL) : undefined);
  if (name !== undefined && /[A-Za-z0-9_]/.test(source.next ?? "")) {
    throw source.createExpectedError("a name in all lower case or all upper case");
  }
  return name;
}

/** Rule of the ignored texts, named after its directive. */
export const IGNORED = "%ignore";

/** Whether a name is that of a rule, rather than of a terminal or a literal. */
export function isRule(name: string): boolean {
  return /^_*[a-z]\S*$/.test(name);
}

/** Returns the rule name of a literal, which cannot be that of a rule or terminal. */
export function literalName(kind: "expression" | "set", index: number): string {
  return `${kind} ${index}`;
}

/** Formats a name for errors. */
export function formatName(name: string): string {
  if (name === IGNORED) return name;
  if (isRule(name)) return `rule ${name}`;
  return /\s/.test(name) ? "this literal" : `terminal ${name}`;
}

/** Maximum number of terminals of a cycle listed in an error. */
const MAX_SHOWN = 10;

/**
 * Checks that no terminal contains itself, since terminals are regular.
 * @param createRuleError creates the error for a terminal
 * @throws {UnsupportedGrammar}
 */
export function checkTerminals(
  rules: ReadonlyMap<string, GrammarNode>,
  createRuleError: (terminal: string, reason: string) => UnsupportedGrammar,
): void {
  const cycle = findCycle(findRecurring(rules));
  const [first] = cycle;
  if (first === undefined) return;
  const shownNames = cycle.length > MAX_SHOWN ? [...cycle.slice(0, MAX_SHOWN), "…"] : cycle;
  const reason = `expected a terminal that does not contain itself, got ${shownNames.join(" → ")}`;
  throw createRuleError(first, reason);
}

/** Returns the terminals that contain a cycle or belong to one, each with the terminals in it. */
function findRecurring(
  rules: ReadonlyMap<string, GrammarNode>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const unresolved = new Map<string, Set<string>>();
  const containers = new Map<string, string[]>();
  for (const [name, body] of rules) {
    if (isRule(name)) continue;
    const inside = new Set<string>();
    collectReferences(body, inside);
    unresolved.set(name, inside);
    for (const one of inside) {
      const others = containers.get(one);
      if (others === undefined) containers.set(one, [name]);
      else others.push(name);
    }
  }
  const missingCounts = new Map([...unresolved].map(([name, inside]) => [name, inside.size]));
  const ready = [...unresolved.keys()].filter((name) => missingCounts.get(name) === 0);
  for (let name = ready.pop(); name !== undefined; name = ready.pop()) {
    unresolved.delete(name);
    for (const other of containers.get(name) ?? []) {
      const count = (missingCounts.get(other) ?? 0) - 1;
      missingCounts.set(other, count);
      if (count === 0) ready.push(other);
    }
  }
  return unresolved;
}

/** Returns a cycle of terminals, with its first one repeated at the end; empty if there is none. */
function findCycle(recurring: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const path = new Set<string>();
  let [name] = recurring.keys();
  while (name !== undefined && !path.has(name)) {
    path.add(name);
    name = [...(recurring.get(name) ?? [])].find((inside) => recurring.has(inside));
  }
  if (name === undefined) return [];
  const steps = [...path];
  return [...steps.slice(steps.indexOf(name)), name];
}

function collectReferences(node: GrammarNode, names: Set<string>): void {
  switch (node.type) {
    case "rule":
      names.add(node.name);
      break;
    case "sequence":
      for (const part of node.parts) collectReferences(part, names);
      break;
    case "choice":
      for (const option of node.options) collectReferences(option, names);
      break;
    case "repeat":
      collectReferences(node.of, names);
  }
}

interface RootedRules {
  readonly root: GrammarNode;
  readonly rules: ReadonlyMap<string, GrammarNode>;
}

const SPACE = rule(IGNORED);

/** Allows ignored texts at the beginning and after each terminal. */
export function withIgnored(
  { root, rules }: RootedRules,
  ignored: readonly GrammarNode[],
): RootedRules {
  if (ignored.length === 0) return { root, rules };
  const spaced = [...rules].map(([name, body]): [string, GrammarNode] => [
    name,
    isRule(name) ? withSpace(body) : body,
  ]);
  return {
    root: sequence(SPACE, root),
    rules: new Map([...spaced, [IGNORED, repeat(buildChoice(ignored), 0)]]),
  };
}

/** Adds ignored texts to the body of a rule, after its literals and references to terminals. */
function withSpace(node: GrammarNode): GrammarNode {
  switch (node.type) {
    case "words":
    case "character":
      return sequence(node, SPACE);
    case "rule":
      return isRule(node.name) ? node : sequence(node, SPACE);
    case "sequence":
      return { ...node, parts: node.parts.map(withSpace) };
    case "choice":
      return { ...node, options: node.options.map(withSpace) };
    case "repeat":
      return { ...node, of: withSpace(node.of) };
    default:
      return node;
  }
}
