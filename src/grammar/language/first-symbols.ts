import assert from "node:assert/strict";
import { type BytePartition, type ByteSet, hasByte } from "./byte-sets.js";
import { type Expression, listNextBytes } from "./expression.js";
import type { ExpressionStore } from "./expression-store.js";

/** Expressions whose nullability is being computed; meeting one again means left recursion. */
const inProgress = new Set<Expression>();

/** Whether a language contains the empty text. Rules must not be left-recursive. */
export function isNullable(expression: Expression): boolean {
  if (expression.nullable === undefined) {
    assert(!inProgress.has(expression), "a left-recursive rule");
    inProgress.add(expression);
    try {
      expression.nullable = computeNullable(expression);
    } finally {
      inProgress.delete(expression);
    }
  }
  return expression.nullable;
}

function computeNullable({ form }: Expression): boolean {
  switch (form.kind) {
    case "nothing":
    case "byte":
    case "control-token":
      return false;
    case "empty":
      return true;
    case "words":
      return form.list.words[form.from]?.length === form.depth;
    case "sequence":
      return isNullable(form.head) && isNullable(form.tail);
    case "choice":
      return form.options.some(isNullable);
    case "repeat":
      return form.min === 0 || isNullable(form.of);
    case "intersection":
      return form.parts.every(isNullable);
    case "complement":
      return !isNullable(form.of);
    case "multiple":
      return form.remainder === 0;
    case "lexeme":
      return isNullable(form.of);
    case "scan":
      return form.ends === "before-trigger";
    case "rule":
      return isNullable(form.body());
  }
}

/** Returns a superset of the bytes that the texts of a language may begin with. */
export function firstBytes(store: ExpressionStore, expression: Expression): ByteSet {
  expression.firstBytes ??= computeFirstBytes(store, expression);
  return expression.firstBytes;
}

function computeFirstBytes(store: ExpressionStore, { form }: Expression): ByteSet {
  const { bytes } = store;
  switch (form.kind) {
    case "nothing":
    case "empty":
    case "control-token":
      return bytes.none;
    case "byte":
      return form.set;
    case "words":
      return bytes.of(listNextBytes(form));
    case "sequence": {
      const first = firstBytes(store, form.head);
      return isNullable(form.head) ? bytes.union(first, firstBytes(store, form.tail)) : first;
    }
    case "choice":
      return form.options.reduce(
        (union, option) => bytes.union(union, firstBytes(store, option)),
        bytes.none,
      );
    case "repeat":
    case "lexeme":
      return firstBytes(store, form.of);
    case "intersection":
      return form.parts.reduce(
        (common, part) => bytes.intersection(common, firstBytes(store, part)),
        bytes.all,
      );
    case "complement":
    case "scan":
      return bytes.all;
    case "multiple":
      return bytes.digits;
    case "rule":
      return firstBytes(store, form.body());
  }
}

/**
 * Returns one byte per equivalence class of the bytes that may come next in a regular language:
 * after any byte of a class, the same texts may follow.
 */
export function byteRepresentatives(
  store: ExpressionStore,
  language: Expression,
): readonly number[] {
  const possible = firstBytes(store, language);
  return firstByteClasses(store, language).representatives.filter((byte) =>
    hasByte(possible, byte),
  );
}

/**
 * Returns the classes of first bytes by which the derivatives of a language are equal (Owens, Reppy
 * and Turon, _Regular-expression derivatives re-examined_, 2009, section 4.2).
 */
export function firstByteClasses(store: ExpressionStore, language: Expression): BytePartition {
  language.firstByteClasses ??= computeClasses(store, language);
  return language.firstByteClasses;
}

function computeClasses(store: ExpressionStore, language: Expression): BytePartition {
  const { form } = language;
  const { bytes, partitions } = store;
  const meetAll = (parts: readonly Expression[]) =>
    parts.reduce(
      (common, part) => partitions.meet(common, firstByteClasses(store, part)),
      partitions.whole,
    );
  switch (form.kind) {
    case "byte":
      return partitions.of(form.set);
    case "words":
      return partitions.splitEach(firstBytes(store, language));
    case "sequence":
      return meetAll(isNullable(form.head) ? [form.head, form.tail] : [form.head]);
    case "choice":
      return meetAll(form.options);
    case "intersection":
      return meetAll(form.parts);
    case "repeat":
    case "complement":
    case "lexeme":
      return firstByteClasses(store, form.of);
    case "multiple":
      return partitions.splitEach(bytes.digits);
    case "scan":
      return partitions.splitEach(bytes.of(form.scan.bytes));
    case "rule":
      return firstByteClasses(store, form.body());
    case "nothing":
    case "empty":
    case "control-token":
      return partitions.whole;
  }
}

/** Control tokens that may come next: the listed ones, or possibly any. */
export type LeadingTokens =
  | { readonly kind: "some"; readonly tokens: readonly number[] }
  | { readonly kind: "any" };

const NO_TOKENS: LeadingTokens = { kind: "some", tokens: [] };

/** Cached: rules that refer to others twice would otherwise be visited exponentially often. */
const knownLeadingTokens = new WeakMap<Expression, LeadingTokens>();

/** Returns a superset of the control tokens that the texts of a language may begin with. */
export function leadingTokens(expression: Expression): LeadingTokens {
  let leading = knownLeadingTokens.get(expression);
  if (leading === undefined) {
    leading = computeLeadingTokens(expression);
    knownLeadingTokens.set(expression, leading);
  }
  return leading;
}

function computeLeadingTokens({ form }: Expression): LeadingTokens {
  switch (form.kind) {
    case "control-token":
      return { kind: "some", tokens: [form.token] };
    case "scan":
      return { kind: "any" };
    case "choice":
      return form.options.map((option) => leadingTokens(option)).reduce(union, NO_TOKENS);
    case "sequence": {
      const first = leadingTokens(form.head);
      return isNullable(form.head) ? union(first, leadingTokens(form.tail)) : first;
    }
    case "repeat":
      return leadingTokens(form.of);
    case "rule":
      return leadingTokens(form.body());
    default:
      return NO_TOKENS;
  }
}

function union(a: LeadingTokens, b: LeadingTokens): LeadingTokens {
  if (a.kind === "any" || b.kind === "any") return { kind: "any" };
  return { kind: "some", tokens: [...new Set([...a.tokens, ...b.tokens])] };
}
