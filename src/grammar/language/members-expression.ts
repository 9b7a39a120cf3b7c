import assert from "node:assert/strict";
import type { AdditionalMember, GrammarNode, MembersNode } from "../grammar.js";
import type { Expression } from "./expression.js";
import type { ExpressionStore } from "./expression-store.js";

/** What may follow some members of an object. */
interface Progress {
  /** The first named member that may follow. */
  readonly next: number;
  /** Members so far; counted up to the last number that makes a difference. */
  readonly count: number;
  /** Those of them whose keys are certainly different, counted up to the least number. */
  readonly distinct: number;
  /** Additional members that are required and missing, a bit for each. */
  readonly missing: bigint;
  /** Additional members that were there, if it matters: the next ones may repeat their keys. */
  readonly seen: bigint;
}

/** A member that may come next, and the progress after it. */
interface Following {
  readonly text: GrammarNode;
  readonly leadsTo: Progress;
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
  assert(min >= 0 && max >= 0, `${min} to ${max} members`);
  const separator = build(node.separator);
  const countedMembers = Number.isFinite(max) ? max : 1;
  const allMissing = additional.reduce(
    (bits, { presence }, index) => (presence === "required" ? bits | bitOf(index) : bits),
    0n,
  );

  const after = (progress: Progress): Expression =>
    store.rule(node, keyOf(progress), () =>
      store.choice([
        canEnd(progress) ? store.empty : store.nothing,
        ...following(progress).map(({ text, leadsTo }) =>
          store.sequenceOf([
            ...(progress.count === 0 ? [] : [separator]),
            build(text),
            after(leadsTo),
          ]),
        ),
      ]),
    );

  /** The number of required named members from an index on. */
  const requiredFrom = named.reduceRight(
    (counts, member, index) => {
      counts[index] = (counts[index + 1] ?? 0) + (isRequired(member) ? 1 : 0);
      return counts;
    },
    new Uint32Array(named.length + 1),
  );

  const neededBy = ({ next, missing }: Progress) => (requiredFrom[next] ?? 0) + bitsIn(missing);

  const canEnd = (progress: Progress) => progress.distinct >= min && neededBy(progress) === 0;

  const canBeCompleted = (progress: Progress) => {
    const { next, count, distinct, missing, seen } = progress;
    const needed = neededBy(progress);
    const repeatable = additional.filter(
      ({ presence }, index) => presence === "any-number" && (seen & bitOf(index)) === 0n,
    );
    const possible = named.length - next + bitsIn(missing) + repeatable.length;
    return count + Math.max(needed, min - distinct) <= max && distinct + possible >= min;
  };

  /** The progress after one more member, whose key is that of no other one or may be. */
  const withMember = (progress: Progress, key: "new" | "perhaps-known"): Progress => ({
    ...progress,
    count: Math.min(progress.count + 1, Math.max(1, countedMembers)),
    distinct: key === "new" ? Math.min(progress.distinct + 1, min) : progress.distinct,
  });

  const following = (progress: Progress): readonly Following[] => {
    if (progress.count >= max) return [];
    return possibleNext(progress).filter(({ leadsTo }) => canBeCompleted(leadsTo));
  };

  const possibleNext = (progress: Progress): readonly Following[] => {
    const { next, missing } = progress;
    const options: Following[] = [];
    for (let index = next; index < named.length; index++) {
      const member = named[index];
      if (member === undefined) break;
      const leadsTo = { ...withMember(progress, "new"), next: index + 1 };
      options.push({ text: member.text, leadsTo });
      if (isRequired(member)) return options;
    }
    for (const [index, { presence, text }] of additional.entries()) {
      if (presence === "required" && (missing & bitOf(index)) === 0n) continue;
      options.push({ text, leadsTo: afterAdditional(progress, index, presence) });
    }
    return options;
  };

  const afterAdditional = (
    progress: Progress,
    index: number,
    presence: AdditionalMember["presence"],
  ): Progress => {
    const { missing, seen } = progress;
    const bit = bitOf(index);
    const withThis = withMember(progress, (seen & bit) === 0n ? "new" : "perhaps-known");
    const nowSeen = presence === "any-number" ? seen | bit : seen;
    return {
      ...withThis,
      next: named.length,
      missing: missing & ~bit,
      seen: withThis.distinct < min ? nowSeen : 0n,
    };
  };

  return after({ next: 0, count: 0, distinct: 0, missing: allMissing, seen: 0n });
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

function bitsIn(bits: bigint): number {
  let count = 0;
  for (let left = bits; left !== 0n; left &= left - 1n) count++;
  return count;
}
