import type { UnsupportedGrammar } from "../errors.js";
import { EMPTY, type GrammarNode, NOTHING } from "../grammar.js";
import { SURROGATES } from "../language/code-point-set.js";

/**
 * Removes the alternatives that no finite text matches: a generation that chose one could not
 * continue, or would never end.
 * @param root name of the root rule
 * @param createRuleError creates the error for a rule
 * @throws {UnsupportedGrammar} with the responsible rule, if nothing matches the root
 */
export function pruneUnproductiveRules(
  rules: ReadonlyMap<string, GrammarNode>,
  root: string,
  createRuleError: (rule: string, reason: string) => UnsupportedGrammar,
): ReadonlyMap<string, GrammarNode> {
  const productivity = new Productivity(rules);
  if (productivity.isComplete) return rules;
  const culprit = productivity.findUnproductiveRule(root);
  if (culprit !== undefined)
    throw createRuleError(culprit, "expected a rule that matches some text");
  return new Map([...rules].map(([name, body]) => [name, productivity.prune(body)]));
}

/** Determines which parts of the rules match a finite text, in time linear in their number. */
class Productivity {
  readonly #rules: ReadonlyMap<string, GrammarNode>;
  /** Number of parts that must still be found productive, for each part. */
  readonly #missing = new Map<GrammarNode, number>();
  /** Parts that contain each part, once per occurrence. */
  readonly #containers = new Map<GrammarNode, GrammarNode[]>();

  constructor(rules: ReadonlyMap<string, GrammarNode>) {
    this.#rules = rules;
    const productive: GrammarNode[] = [];
    for (const body of rules.values()) this.#enter(body, productive);
    for (let part = productive.pop(); part !== undefined; part = productive.pop()) {
      for (const whole of this.#containers.get(part) ?? []) {
        const missing = (this.#missing.get(whole) ?? 0) - 1;
        this.#missing.set(whole, missing);
        if (missing === 0) productive.push(whole);
      }
    }
  }

  /** Whether all parts are productive. */
  get isComplete(): boolean {
    for (const missing of this.#missing.values()) if (missing > 0) return false;
    return true;
  }

  /**
   * Finds the rule that makes another one unproductive: the last on a chain of unproductive rules.
   */
  findUnproductiveRule(name: string): string | undefined {
    const body = this.#rules.get(name);
    if (body === undefined || this.#isProductive(body)) return undefined;
    const seen = new Set([name]);
    let rule = name;
    for (let node: GrammarNode | undefined = body; node !== undefined; ) {
      if (node.type === "rule") {
        if (seen.has(node.name)) break;
        rule = node.name;
        seen.add(rule);
      }
      node = this.#partsOf(node).find((part) => !this.#isProductive(part));
    }
    return rule;
  }

  /** Removes the unproductive alternatives of a part. */
  prune(node: GrammarNode): GrammarNode {
    if (!this.#isProductive(node)) return NOTHING;
    switch (node.type) {
      case "sequence":
        return { ...node, parts: node.parts.map((part) => this.prune(part)) };
      case "choice": {
        const options = node.options.filter((option) => this.#isProductive(option));
        return { ...node, options: options.map((option) => this.prune(option)) };
      }
      case "repeat":
        return this.#isProductive(node.of) ? { ...node, of: this.prune(node.of) } : EMPTY;
      default:
        return node;
    }
  }

  /** Whether a part is productive. */
  #isProductive(node: GrammarNode): boolean {
    return (this.#missing.get(node) ?? 0) <= 0;
  }

  #enter(node: GrammarNode, productive: GrammarNode[]): void {
    if (this.#missing.has(node)) return;
    const parts = this.#partsOf(node);
    const missing = countRequiredParts(node);
    this.#missing.set(node, missing);
    if (missing === 0) productive.push(node);
    for (const part of parts) {
      const around = this.#containers.get(part);
      if (around === undefined) this.#containers.set(part, [node]);
      else around.push(node);
      // Bodies of rules are entered separately: chains of rules may be deeper than the call stack.
      if (node.type !== "rule") this.#enter(part, productive);
    }
  }

  /** Returns the direct parts of a part. */
  #partsOf(node: GrammarNode): readonly GrammarNode[] {
    switch (node.type) {
      case "sequence":
        return node.parts;
      case "choice":
        return node.options;
      case "repeat":
        return [node.of];
      case "rule": {
        const body = this.#rules.get(node.name);
        return body === undefined ? [] : [body];
      }
      default:
        return [];
    }
  }
}

/** Returns the number of productive parts that make a part productive. */
function countRequiredParts(node: GrammarNode): number {
  switch (node.type) {
    case "sequence":
      return node.parts.length;
    case "choice":
    case "rule":
      return 1;
    case "repeat":
      return node.min === 0 ? 0 : 1;
    case "words":
      return node.words.length > 0 ? 0 : 1;
    case "character":
      return node.ranges.some(([first, last]) => first < SURROGATES[0] || last > SURROGATES[1])
        ? 0
        : 1;
    default:
      return 0;
  }
}
