import { type GrammarNode, lexeme } from "../grammar.js";

/** Contents of a rule's body. */
interface Contents {
  /** Rules that it refers to. */
  readonly references: ReadonlySet<string>;
  /** Rules referred to by each of its innermost repetitions. */
  readonly repetitions: readonly ReadonlySet<string>[];
  readonly hasTokens: boolean;
}

/**
 * Turns the rules that repeat characters, such as strings, numbers and white space, into lexemes,
 * so that their masks are cached independently of the context. Rules with recursion or tokens
 * cannot be lexemes, and rules that only repeat other lexemes need not be.
 */
export function withLexemes(
  rules: ReadonlyMap<string, GrammarNode>,
): ReadonlyMap<string, GrammarNode> {
  const markedRules = new Map(rules);
  /** Rules that contain a repetition, directly or through other rules. */
  const repeatingRules = new Set<string>();
  const isRepeating = (name: string) => repeatingRules.has(name);
  for (const [name, { references, repetitions }] of selectRegularRules(rules)) {
    const body = rules.get(name);
    if (body !== undefined && repetitions.some((inside) => ![...inside].some(isRepeating))) {
      markedRules.set(name, lexeme(body));
    }
    if (repetitions.length > 0 || [...references].some(isRepeating)) repeatingRules.add(name);
  }
  return markedRules;
}

/** Returns the rules without recursion and tokens, each after the rules that it refers to. */
function selectRegularRules(
  rules: ReadonlyMap<string, GrammarNode>,
): ReadonlyMap<string, Contents> {
  const contents = new Map([...rules].map(([name, body]) => [name, collectContents(body)]));
  const referrers = new Map<string, string[]>([...rules.keys()].map((name) => [name, []]));
  const missing = new Map<string, number>();
  for (const [name, { references }] of contents) {
    missing.set(name, references.size);
    for (const reference of references) referrers.get(reference)?.push(name);
  }
  const regular = new Map<string, Contents>();
  const ready = [...rules.keys()].filter((name) => missing.get(name) === 0);
  for (let name = ready.pop(); name !== undefined; name = ready.pop()) {
    const body = contents.get(name);
    if (body === undefined || body.hasTokens) continue;
    regular.set(name, body);
    for (const other of referrers.get(name) ?? []) {
      const missingCount = (missing.get(other) ?? 0) - 1;
      missing.set(other, missingCount);
      if (missingCount === 0) ready.push(other);
    }
  }
  return regular;
}

function collectContents(body: GrammarNode): Contents {
  const references = new Set<string>();
  const repetitions = new Set<Set<string>>();
  let hasTokens = false;
  const visit = (node: GrammarNode, around: Set<string> | undefined): void => {
    switch (node.type) {
      case "rule":
        references.add(node.name);
        around?.add(node.name);
        break;
      case "sequence":
        for (const part of node.parts) visit(part, around);
        break;
      case "choice":
        for (const option of node.options) visit(option, around);
        break;
      case "repeat":
        if (node.max === 0 || node.max === 1) visit(node.of, around);
        else visitRepeated(node.of, around);
        break;
      case "control-token":
      case "without":
        hasTokens = true;
    }
  };
  const visitRepeated = (node: GrammarNode, around: Set<string> | undefined) => {
    const inside = new Set<string>();
    if (around !== undefined) repetitions.delete(around);
    repetitions.add(inside);
    visit(node, inside);
  };
  visit(body, undefined);
  return { references, repetitions: [...repetitions], hasTokens };
}
