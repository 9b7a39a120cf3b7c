import type { UnsupportedGrammar } from "../errors.js";
import { EMPTY, type GrammarNode, NOTHING } from "../grammar.js";
import { SURROGATES } from "../language/code-point-set.js";

/**
 * Rules without the alternatives that no finite text matches: a generation that chose one of them could not go
 * on, or would never end.
 * @param root the name of the first rule
 * @param errorIn makes the error for a rule
 * @throws {UnsupportedGrammar} nothing matches the root: names the rule on which that depends
 */
export function productiveRules(
  rules: ReadonlyMap<string, GrammarNode>,
  root: string,
  errorIn: (rule: string, reason: string) => UnsupportedGrammar,
): ReadonlyMap<string, GrammarNode> {
  const productivity = new Productivity(rules);
  if (productivity.isComplete) return rules;
  const culprit = productivity.unproductiveBelow(root);
  if (culprit !== undefined) throw errorIn(culprit, "expected a rule that some text matches");
  return new Map([...rules].map(([name, body]) => [name, productivity.pruned(body)]));
}

/** Which parts of some rules match a finite text, in time that is linear in their number. */
class Productivity {
  readonly #rules: ReadonlyMap<string, GrammarNode>;
  /** How many of its parts must still be found to be productive, for each part. */
  readonly #missing = new Map<GrammarNode, number>();
  /** The parts that each part is a part of, as often as it is. */
  readonly #around = new Map<GrammarNode, GrammarNode[]>();

  constructor(rules: ReadonlyMap<string, GrammarNode>) {
    this.#rules = rules;
    const productive: GrammarNode[] = [];
    for (const body of rules.values()) this.#enter(body, productive);
    for (let part = productive.pop(); part !== undefined; part = productive.pop()) {
      for (const whole of this.#around.get(part) ?? []) {
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

  /** The rule that makes a rule unproductive: one that leads to no other such rule but those before it. */
  unproductiveBelow(name: string): string | undefined {
    const body = this.#rules.get(name);
    if (body === undefined || this.#has(body)) return undefined;
    const seen = new Set([name]);
    let rule = name;
    for (let node: GrammarNode | undefined = body; node !== undefined; ) {
      if (node.type === "rule") {
        if (seen.has(node.name)) break;
        rule = node.name;
        seen.add(rule);
      }
      node = this.#needed(node).find((part) => !this.#has(part));
    }
    return rule;
  }

  /** A part without its unproductive alternatives. */
  pruned(node: GrammarNode): GrammarNode {
    if (!this.#has(node)) return NOTHING;
    switch (node.type) {
      case "sequence":
        return { ...node, parts: node.parts.map((part) => this.pruned(part)) };
      case "choice": {
        const options = node.options.filter((option) => this.#has(option));
        return { ...node, options: options.map((option) => this.pruned(option)) };
      }
      case "repeat":
        return this.#has(node.of) ? { ...node, of: this.pruned(node.of) } : EMPTY;
      default:
        return node;
    }
  }

  /** Whether a part is productive. */
  #has(node: GrammarNode): boolean {
    return (this.#missing.get(node) ?? 0) <= 0;
  }

  #enter(node: GrammarNode, productive: GrammarNode[]): void {
    if (this.#missing.has(node)) return;
    const parts = this.#needed(node);
    const missing = missingAtFirst(node);
    this.#missing.set(node, missing);
    if (missing === 0) productive.push(node);
    for (const part of parts) {
      const around = this.#around.get(part);
      if (around === undefined) this.#around.set(part, [node]);
      else around.push(node);
      // Bodies of rules have their own turn: chains of rules are longer than the stack is deep.
      if (node.type !== "rule") this.#enter(part, productive);
    }
  }

  /** The parts that a part consists of. */
  #needed(node: GrammarNode): readonly GrammarNode[] {
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

/** How many productive parts make a part productive. */
function missingAtFirst(node: GrammarNode): number {
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
