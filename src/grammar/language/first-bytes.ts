import type { ByteSet } from "./byte-set.js";
import type { Expression } from "./expression.js";
import type { ExpressionStore } from "./expression-store.js";
import { isNullable } from "./nullable.js";
import { nextBytes } from "./word-list.js";

/** The bytes that the texts of a language may begin with; no other byte leads anywhere. */
export function firstBytes(store: ExpressionStore, expression: Expression): ByteSet {
  expression.firstBytes ??= compute(store, expression);
  return expression.firstBytes;
}

function compute(store: ExpressionStore, { form }: Expression): ByteSet {
  const { bytes } = store;
  switch (form.kind) {
    case "nothing":
    case "empty":
    case "control-token":
      return bytes.none;
    case "byte":
      return form.set;
    case "words":
      return bytes.of(nextBytes(form));
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
