import type { UnsupportedGrammar } from "../errors.js";
import type { GrammarNode } from "../grammar.js";

/**
 * Maximum number of parts in a chain of sequences that each begin with the next; parts that may be
 * empty count twice. Derivatives recurse to the depth of their nesting.
 */
const MAX_SPAN = 1_000;

/** Maximum number of rules of a cycle listed in an error. */
const MAX_SHOWN = 10;

/** Properties of the beginning of a part. */
interface Beginning {
  /** Whether the part may be empty. */
  readonly isNullable: boolean;
  /** See `MAX_SPAN`. */
  readonly span: number;
}

const CHARACTERS: Beginning = { isNullable: false, span: 1 };

/**
 * Checks that no rule is left-recursive, including after parts that may be empty, and that none
 * begins with too many others.
 * @param createRuleError creates the error for a rule
 * @throws {UnsupportedGrammar}
 */
export function checkLeftRecursion(
  rules: ReadonlyMap<string, GrammarNode>,
  createRuleError: (rule: string, reason: string) => UnsupportedGrammar,
): void {
  const beginnings = new Beginnings(rules, createRuleError);
  for (const [name, body] of rules) beginnings.check(name, body);
}

class Beginnings {
  readonly #rules: ReadonlyMap<string, GrammarNode>;
  readonly #createRuleError: (rule: string, reason: string) => UnsupportedGrammar;
  readonly #known = new Map<GrammarNode, Beginning>();
  /** Rules being visited, each beginning with the next. */
  readonly #openRules = new Set<string>();
  #checkedRule = "";
  /** Parts that do not begin another part, to be visited separately. */
  readonly #pendingParts: GrammarNode[] = [];

  constructor(
    rules: ReadonlyMap<string, GrammarNode>,
    createRuleError: (rule: string, reason: string) => UnsupportedGrammar,
  ) {
    this.#rules = rules;
    this.#createRuleError = createRuleError;
  }

  check(name: string, body: GrammarNode): void {
    this.#checkedRule = name;
    this.#visitRule(name, body, 0);
    for (let part = this.#pendingParts.pop(); part !== undefined; part = this.#pendingParts.pop()) {
      this.#beginningOf(part, 0);
    }
  }

  #visitRule(name: string, body: GrammarNode, depth: number): Beginning {
    if (this.#openRules.has(name)) throw this.#createRecursionError(name);
    const known = this.#known.get(body);
    if (known !== undefined) return known;
    this.#openRules.add(name);
    const beginning = this.#beginningOf(body, depth);
    this.#openRules.delete(name);
    return beginning;
  }

  /** Returns the beginning of a node, which is computed once per node. */
  #beginningOf(node: GrammarNode, depth: number): Beginning {
    if (node.type === "words" || node.type === "character") return CHARACTERS;
    let beginning = this.#known.get(node);
    if (beginning === undefined) {
      if (depth > MAX_SPAN) throw this.#createLengthError();
      beginning = this.#compute(node, depth + 1);
      if (beginning.span > MAX_SPAN) throw this.#createLengthError();
      this.#known.set(node, beginning);
    }
    return beginning;
  }

  #compute(node: GrammarNode, depth: number): Beginning {
    switch (node.type) {
      case "sequence":
        return this.#computeSequence(node.parts, depth);
      case "choice": {
        const options = node.options.map((option) => this.#beginningOf(option, depth));
        return {
          isNullable: options.some(({ isNullable }) => isNullable),
          span: options.reduce((longest, { span }) => Math.max(longest, span), 0) + 1,
        };
      }
      case "repeat": {
        const { isNullable, span } = this.#beginningOf(node.of, depth);
        return { isNullable: isNullable || node.min === 0, span: span + 1 };
      }
      case "rule": {
        const body = this.#rules.get(node.name);
        if (body === undefined) return { isNullable: false, span: 1 };
        const { isNullable, span } = this.#visitRule(node.name, body, depth);
        return { isNullable, span: span + 1 };
      }
      default:
        return { isNullable: node.type === "without", span: 1 };
    }
  }

  #computeSequence(parts: readonly GrammarNode[], depth: number): Beginning {
    let span = 0;
    for (const [index, part] of parts.entries()) {
      const beginning = this.#beginningOf(part, depth);
      span = Math.max(span, beginning.span);
      if (!beginning.isNullable) {
        for (const later of parts.slice(index + 1)) this.#pendingParts.push(later);
        return { isNullable: false, span: span + parts.length + index };
      }
    }
    return { isNullable: true, span: span + parts.length * 2 };
  }

  #createLengthError(): UnsupportedGrammar {
    const reason = `expected at most ${MAX_SPAN} parts in a chain of rules that each begin with the next`;
    return this.#createRuleError(this.#checkedRule, reason);
  }

  #createRecursionError(name: string): UnsupportedGrammar {
    const open = [...this.#openRules];
    const cycle = [...open.slice(open.indexOf(name)), name];
    const shownRules = cycle.length > MAX_SHOWN ? [...cycle.slice(0, MAX_SHOWN), "…"] : cycle;
    return this.#createRuleError(
      name,
      `expected a character before the recursion, got left recursion: ${shownRules.join(" → ")}`,
    );
  }
}
