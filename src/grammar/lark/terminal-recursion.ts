import type { GrammarNode } from "../grammar.js";
import type { UnsupportedGrammar } from "../unsupported-grammar.js";
import { isRule } from "./names.js";

/** Terminals of a cycle that a message names. */
const MAX_SHOWN = 10;

/**
 * Checks that no terminal contains itself: terminals are regular.
 * @param errorIn makes the error for a terminal
 * @throws {UnsupportedGrammar}
 */
export function checkTerminals(
  rules: ReadonlyMap<string, GrammarNode>,
  errorIn: (terminal: string, reason: string) => UnsupportedGrammar,
): void {
  const cycle = cycleIn(recurringIn(rules));
  const [first] = cycle;
  if (first === undefined) return;
  const shown = cycle.length > MAX_SHOWN ? [...cycle.slice(0, MAX_SHOWN), "…"] : cycle;
  const reason = `expected a terminal that does not contain itself, got ${shown.join(" → ")}`;
  throw errorIn(first, reason);
}

/** The terminals that contain themselves, or others that do, with the terminals in them. */
function recurringIn(
  rules: ReadonlyMap<string, GrammarNode>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const left = new Map<string, Set<string>>();
  const around = new Map<string, string[]>();
  for (const [name, body] of rules) {
    if (isRule(name)) continue;
    const inside = new Set<string>();
    collect(body, inside);
    left.set(name, inside);
    for (const one of inside) {
      const others = around.get(one);
      if (others === undefined) around.set(one, [name]);
      else others.push(name);
    }
  }
  const missing = new Map([...left].map(([name, inside]) => [name, inside.size]));
  const ready = [...left.keys()].filter((name) => missing.get(name) === 0);
  for (let name = ready.pop(); name !== undefined; name = ready.pop()) {
    left.delete(name);
    for (const other of around.get(name) ?? []) {
      const count = (missing.get(other) ?? 0) - 1;
      missing.set(other, count);
      if (count === 0) ready.push(other);
    }
  }
  return left;
}

/** The first terminal that recurs, what leads back to it, and itself again; nothing: none recurs. */
function cycleIn(recurring: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
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

function collect(node: GrammarNode, names: Set<string>): void {
  switch (node.type) {
    case "rule":
      names.add(node.name);
      break;
    case "sequence":
      for (const part of node.parts) collect(part, names);
      break;
    case "choice":
      for (const option of node.options) collect(option, names);
      break;
    case "repeat":
      collect(node.of, names);
  }
}
