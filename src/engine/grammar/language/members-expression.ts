import type { GrammarNode, MembersNode } from "../../../core/grammar.js";
import type { Expression } from "./expression.js";
import type { ExpressionStore } from "./expression-store.js";

/** What may follow some members of an object. */
interface Progress {
  /** The first named member that may follow. */
  readonly next: number;
  /** Members so far; counted up to the last number that makes a difference. */
  readonly count: number;
  /** Additional members that are required and missing, a bit for each. */
  readonly missing: bigint;
}

/**
 * The members of an object, as rules that are built when they are reached: their number is the product of
 * positions and counts, of which a text meets few.
 */
export function membersExpression(
  store: ExpressionStore,
  node: MembersNode,
  build: (node: GrammarNode) => Expression,
): Expression {
  const { named, additional, min, max = Number.POSITIVE_INFINITY } = node;
  const separator = build(node.separator);
  const countedMembers = Number.isFinite(max) ? max : min;
  const allMissing = additional.reduce(
    (bits, { presence }, index) => (presence === "required" ? bits | (1n << BigInt(index)) : bits),
    0n,
  );

  const isOpen = additional.some(({ presence }) => presence === "any-number");

  const after = (progress: Progress): Expression =>
    store.rule(node, `${progress.next}:${progress.count}:${progress.missing}`, () =>
      store.choice([
        canEnd(progress) ? store.empty : store.nothing,
        ...following(progress).map(({ text, then }) =>
          store.sequenceOf([
            ...(progress.count === 0 ? [] : [separator]),
            build(text),
            after(then),
          ]),
        ),
      ]),
    );

  const canEnd = ({ next, count, missing }: Progress) =>
    count >= min && missing === 0n && !named.slice(next).some(isRequired);

  const canBeCompleted = (progress: Progress) => {
    const { next, count, missing } = progress;
    const needed = named.slice(next).filter(isRequired).length + bitsIn(missing);
    const possible = isOpen ? Number.POSITIVE_INFINITY : named.length - next + bitsIn(missing);
    return count + needed <= max && count + possible >= min;
  };

  const following = ({ next, count, missing }: Progress) => {
    if (count >= max) return [];
    const counted = Math.min(count + 1, Math.max(1, countedMembers));
    const options = [];
    for (let index = next; index < named.length; index++) {
      const member = named[index];
      if (member === undefined) break;
      const then = { next: index + 1, count: counted, missing };
      options.push({ text: member.text, then });
      if (isRequired(member)) return options.filter(({ then }) => canBeCompleted(then));
    }
    for (const [index, { presence, text }] of additional.entries()) {
      const bit = 1n << BigInt(index);
      if (presence === "required" && (missing & bit) === 0n) continue;
      const then = { next: named.length, count: counted, missing: missing & ~bit };
      options.push({ text, then });
    }
    return options.filter(({ then }) => canBeCompleted(then));
  };

  return after({ next: 0, count: 0, missing: allMissing });
}

function isRequired({ presence }: { readonly presence: string }): boolean {
  return presence === "required";
}

function bitsIn(bits: bigint): number {
  let count = 0;
  for (let left = bits; left !== 0n; left &= left - 1n) count++;
  return count;
}
