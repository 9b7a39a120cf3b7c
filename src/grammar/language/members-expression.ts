import assert from "node:assert/strict";
import type { AdditionalMember, GrammarNode, MembersNode } from "../grammar.js";
import type { Expression } from "./expression.js";
import type { ExpressionStore } from "./expression-store.js";

/** State of an object after some of its members. */
interface Progress {
  /** Index of the first named member that may follow. */
  readonly next: number;
  /** Number of members so far, capped at the last value that makes a difference. */
  readonly count: number;
  /** Number of members whose keys are certainly different, capped at the required minimum. */
  readonly distinct: number;
  /** Required additional members that are still missing, one bit each. */
  readonly missing: bigint;
  /**
   * Additional members that have occurred, one bit each: further ones may repeat their keys. 0 once
   * the minimum is reached.
   */
  readonly seen: bigint;
}

/** Member that may come next, and the progress after it. */
interface NextMember {
  readonly text: GrammarNode;
  readonly progressAfter: Progress;
}

/**
 * Builds the members of an object as rules, on demand: there is one per combination of position and
 * counts, of which a text meets few.
 */
export function membersExpression(
  store: ExpressionStore,
  node: MembersNode,
  build: (node: GrammarNode) => Expression,
): Expression {
  const { named, additional, min, max = Number.POSITIVE_INFINITY } = node;
  assert(min >= 0 && max >= 0, `${min} to ${max} members`);
  const separator = build(node.separator);
  const countedMembers = Number.isFinite(max) ? max : 1;
  const allMissing = additional.reduce(
    (bits, { presence }, index) => (presence === "required" ? bits | bitOf(index) : bits),
    0n,
  );

  const buildAfter = (progress: Progress): Expression =>
    store.rule(node, keyOf(progress), () =>
      store.choice([
        canEnd(progress) ? store.empty : store.nothing,
        ...listFollowing(progress).map(({ text, progressAfter }) =>
          store.sequenceOf([
            ...(progress.count === 0 ? [] : [separator]),
            build(text),
            buildAfter(progressAfter),
          ]),
        ),
      ]),
    );

  /** Number of required named members from each index on. */
  const requiredFrom = named.reduceRight(
    (counts, member, index) => {
      counts[index] = (counts[index + 1] ?? 0) + (isRequired(member) ? 1 : 0);
      return counts;
    },
    new Uint32Array(named.length + 1),
  );

  const countNeeded = ({ next, missing }: Progress) =>
    (requiredFrom[next] ?? 0) + countBits(missing);

  const canEnd = (progress: Progress) => progress.distinct >= min && countNeeded(progress) === 0;

  const canBeCompleted = (progress: Progress) => {
    const { next, count, distinct, missing, seen } = progress;
    const needed = countNeeded(progress);
    const repeatable = additional.filter(
      ({ presence }, index) => presence === "any-number" && (seen & bitOf(index)) === 0n,
    );
    const possible = named.length - next + countBits(missing) + repeatable.length;
    return count + Math.max(needed, min - distinct) <= max && distinct + possible >= min;
  };

  /** Returns the progress after one more member, whose key is new or may be a known one. */
  const withMember = (progress: Progress, key: "new" | "perhaps-known"): Progress => ({
    ...progress,
    count: Math.min(progress.count + 1, Math.max(1, countedMembers)),
    distinct: key === "new" ? Math.min(progress.distinct + 1, min) : progress.distinct,
  });

  const listFollowing = (progress: Progress): readonly NextMember[] => {
    if (progress.count >= max) return [];
    return listPossibleNext(progress).filter(({ progressAfter }) => canBeCompleted(progressAfter));
  };

  const listPossibleNext = (progress: Progress): readonly NextMember[] => {
    const { next, missing } = progress;
    const options: NextMember[] = [];
    for (let index = next; index < named.length; index++) {
      const member = named[index];
      if (member === undefined) break;
      const progressAfter = { ...withMember(progress, "new"), next: index + 1 };
      options.push({ text: member.text, progressAfter });
      if (isRequired(member)) return options;
    }
    for (const [index, { presence, text }] of additional.entries()) {
      if (presence === "required" && (missing & bitOf(index)) === 0n) continue;
      options.push({ text, progressAfter: advanceAdditional(progress, index, presence) });
    }
    return options;
  };

  const advanceAdditional = (
    progress: Progress,
    index: number,
    presence: AdditionalMember["presence"],
  ): Progress => {
    const { missing, seen } = progress;
    const bit = bitOf(index);
    const nextProgress = withMember(progress, (seen & bit) === 0n ? "new" : "perhaps-known");
    const updatedSeen = presence === "any-number" ? seen | bit : seen;
    return {
      ...nextProgress,
      next: named.length,
      missing: missing & ~bit,
      seen: nextProgress.distinct < min ? updatedSeen : 0n,
    };
  };

  return buildAfter({ next: 0, count: 0, distinct: 0, missing: allMissing, seen: 0n });
}

function keyOf({ next, count, distinct, missing, seen }: Progress): string {
  return `${next}:${count}:${distinct}:${missing}:${seen}`;
}

function bitOf(index: number): bigint {
  return 1n << BigInt(index);
}

function isRequired({ presence }: { readonly presence: string }): boolean {
  return presence === "required";
}

function countBits(bits: bigint): number {
  let count = 0;
  for (let left = bits; left !== 0n; left &= left - 1n) count++;
  return count;
}
