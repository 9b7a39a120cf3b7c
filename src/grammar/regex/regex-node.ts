import type { CodePointSet } from "../language/code-point-set.js";

/** A parsed regular expression. */
export type RegexNode =
  | { readonly type: "characters"; readonly set: CodePointSet }
  | { readonly type: "sequence"; readonly parts: readonly RegexNode[] }
  | { readonly type: "alternatives"; readonly options: readonly RegexNode[] }
  /** `max` may be infinite. */
  | {
      readonly type: "repeat";
      readonly of: RegexNode;
      readonly min: number;
      readonly max: number;
    }
  | { readonly type: "start" }
  | { readonly type: "end" }
  | {
      readonly type: "lookahead";
      readonly of: RegexNode;
      readonly polarity: "positive" | "negative";
    };

/** Whether a node is of some type, or has a part that is. */
export function contains(node: RegexNode, type: RegexNode["type"]): boolean {
  if (node.type === type) return true;
  switch (node.type) {
    case "sequence":
      return node.parts.some((part) => contains(part, type));
    case "alternatives":
      return node.options.some((option) => contains(option, type));
    case "repeat":
    case "lookahead":
      return contains(node.of, type);
    default:
      return false;
  }
}

/**
 * The greatest number of characters, classes and assertions that follow each other. A repetition counts
 * once, but with an assertion as often as it is copied.
 */
export function longestSequence(node: RegexNode): number {
  switch (node.type) {
    case "sequence":
      return node.parts.reduce((sum, part) => sum + longestSequence(part), 0);
    case "alternatives":
      return node.options.reduce(
        (longest, option) => Math.max(longest, longestSequence(option)),
        0,
      );
    case "repeat":
      return longestSequence(node.of) * (hasAssertion(node.of) ? copiesOf(node) : 1);
    case "lookahead":
      return longestSequence(node.of) + 1;
    default:
      return 1;
  }
}

function hasAssertion(node: RegexNode): boolean {
  return contains(node, "start") || contains(node, "end") || contains(node, "lookahead");
}

function copiesOf({ min, max }: Extract<RegexNode, { type: "repeat" }>): number {
  return Number.isFinite(max) ? max : min + 1;
}
