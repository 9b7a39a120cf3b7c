import { type ByteSet, bytesOf, hasByte } from "./byte-set.js";
import type { Expression } from "./expression.js";
import type { ExpressionStore } from "./expression-store.js";
import { firstBytes } from "./first-bytes.js";
import { isNullable } from "./nullable.js";

/** One byte of each class of possible next bytes that a regular language does not tell apart. */
export function byteRepresentatives(
  store: ExpressionStore,
  language: Expression,
): readonly number[] {
  const distinctions = new Set<ByteSet>();
  distinguish(store, language, distinctions);
  const sets = [...distinctions];
  const classes = new Map<string, number>();
  for (const byte of bytesOf(firstBytes(store, language))) {
    const signature = sets.map((set) => (hasByte(set, byte) ? 1 : 0)).join("");
    if (!classes.has(signature)) classes.set(signature, byte);
  }
  return [...classes.values()];
}

/** Collects the sets of bytes that a language asks its first byte about. */
function distinguish(store: ExpressionStore, { form }: Expression, sets: Set<ByteSet>): void {
  switch (form.kind) {
    case "byte":
      sets.add(form.set);
      break;
    case "words":
      for (const word of form.list.words.slice(form.from, form.to)) {
        const byte = word[form.depth];
        if (byte !== undefined) sets.add(store.bytes.of([byte]));
      }
      break;
    case "sequence":
      distinguish(store, form.head, sets);
      if (isNullable(form.head)) distinguish(store, form.tail, sets);
      break;
    case "choice":
      for (const option of form.options) distinguish(store, option, sets);
      break;
    case "intersection":
      for (const part of form.parts) distinguish(store, part, sets);
      break;
    case "repeat":
    case "complement":
    case "lexeme":
      distinguish(store, form.of, sets);
      break;
    case "multiple":
      for (const digit of bytesOf(store.bytes.digits)) sets.add(store.bytes.of([digit]));
      break;
    case "rule":
      distinguish(store, form.body(), sets);
      break;
    case "nothing":
    case "empty":
    case "control-token":
    case "scan":
      break;
  }
}
