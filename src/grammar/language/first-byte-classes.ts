import type { BytePartition } from "./byte-partition.js";
import { hasByte } from "./byte-set.js";
import type { Expression } from "./expression.js";
import type { ExpressionStore } from "./expression-store.js";
import { firstBytes } from "./first-bytes.js";
import { isNullable } from "./nullable.js";

/** One byte of each class of possible next bytes that a regular language does not tell apart. */
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
 * Bytes that a language does not tell apart as its first: its derivatives by them are the same (Owens,
 * Reppy and Turon, _Regular-expression derivatives re-examined_, 2009, section 4.2).
 */
export function firstByteClasses(store: ExpressionStore, language: Expression): BytePartition {
  language.firstByteClasses ??= compute(store, language);
  return language.firstByteClasses;
}

function compute(store: ExpressionStore, language: Expression): BytePartition {
  const { form } = language;
  const { bytes, partitions } = store;
  const meetOf = (parts: readonly Expression[]) =>
    parts.reduce(
      (common, part) => partitions.meet(common, firstByteClasses(store, part)),
      partitions.whole,
    );
  switch (form.kind) {
    case "byte":
      return partitions.of(form.set);
    case "words":
      return partitions.apart(firstBytes(store, language));
    case "sequence":
      return meetOf(isNullable(form.head) ? [form.head, form.tail] : [form.head]);
    case "choice":
      return meetOf(form.options);
    case "intersection":
      return meetOf(form.parts);
    case "repeat":
    case "complement":
    case "lexeme":
      return firstByteClasses(store, form.of);
    case "multiple":
      return partitions.apart(bytes.digits);
    case "scan":
      return partitions.apart(bytes.of(form.scan.bytes));
    case "rule":
      return firstByteClasses(store, form.body());
    case "nothing":
    case "empty":
    case "control-token":
      return partitions.whole;
  }
}
