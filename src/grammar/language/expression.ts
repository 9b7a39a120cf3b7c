import type { BytePartition, ByteSet } from "./byte-sets.js";
import type { TriggerScan } from "./trigger-scan.js";

/**
 * Form of an expression. Expressions denote sets of symbol strings; the symbols are bytes and
 * control tokens.
 */
export type Form =
  /** No text at all: a dead end. */
  | { readonly kind: "nothing" }
  /** The empty text. */
  | { readonly kind: "empty" }
  /** One byte of a set. */
  | { readonly kind: "byte"; readonly set: ByteSet }
  /**
   * Rests of the words with indices from `from` to before `to` of a sorted list, after their
   * `depth` common bytes.
   */
  | ({ readonly kind: "words" } & WordRange)
  /** Nested to the right: the head is never a sequence. */
  | { readonly kind: "sequence"; readonly head: Expression; readonly tail: Expression }
  /** At least two options, none of them a choice, in ascending id. */
  | { readonly kind: "choice"; readonly options: readonly Expression[] }
  /** `max` may be infinite. */
  | {
      readonly kind: "repeat";
      readonly of: Expression;
      readonly min: number;
      readonly max: number;
    }
  | { readonly kind: "intersection"; readonly parts: readonly Expression[] }
  | { readonly kind: "complement"; readonly of: Expression }
  /** Digits that, appended to a number with the given remainder, make a multiple of `divisor`. */
  | { readonly kind: "multiple"; readonly divisor: number; readonly remainder: number }
  /** Regular language whose token masks are cached independently of the text that follows. */
  | { readonly kind: "lexeme"; readonly of: Expression }
  /** Text and control tokens up to a trigger, or without any trigger. */
  | {
      readonly kind: "scan";
      readonly scan: TriggerScan;
      readonly state: number;
      readonly ends: "with-trigger" | "before-trigger";
    }
  | { readonly kind: "control-token"; readonly token: number }
  /** Named language that may refer to itself; built on demand. */
  | { readonly kind: "rule"; readonly body: () => Expression };

/**
 * Language, which is also a state: the texts that may follow. Created by an `ExpressionStore`, in
 * which equal forms are the same object. Caches its computed properties. One class serves all
 * forms, because these fields are read for every byte.
 */
export class Expression {
  readonly id: number;
  readonly form: Form;
  /**
   * Whether it contains an intersection or a complement, so that it may be empty without being
   * `nothing`.
   */
  readonly isDoubtful: boolean;
  /** Whether it contains a counted repetition, whose state changes with each iteration. */
  readonly isCounted: boolean;
  /** Whether it matches the empty text. */
  nullable: boolean | undefined;
  /** Whether it matches any text. */
  productive: boolean | undefined;
  /** Superset of the bytes that its texts may begin with. */
  firstBytes: ByteSet | undefined;
  /** Classes of first bytes that lead to equal derivatives. */
  firstByteClasses: BytePartition | undefined;
  /** Cached derivatives: a single one, or a table by byte. */
  soleByte = -1;
  soleDerivative: Expression | undefined;
  derivatives: (Expression | undefined)[] | undefined;

  constructor(id: number, form: Form) {
    this.id = id;
    this.form = form;
    this.isDoubtful = isDoubtful(form);
    this.isCounted = isCounted(form);
  }
}

function isDoubtful(form: Form): boolean {
  if (form.kind === "intersection" || form.kind === "complement") return true;
  return partsOf(form).some((part) => part.isDoubtful);
}

function isCounted(form: Form): boolean {
  if (form.kind === "repeat" && (form.min > 1 || (form.max > 1 && Number.isFinite(form.max)))) {
    return true;
  }
  return partsOf(form).some((part) => part.isCounted);
}

/** Returns the direct parts of an expression; empty for rules, which are built on demand. */
function partsOf(form: Form): readonly Expression[] {
  switch (form.kind) {
    case "sequence":
      return [form.head, form.tail];
    case "choice":
      return form.options;
    case "intersection":
      return form.parts;
    case "repeat":
    case "complement":
    case "lexeme":
      return [form.of];
    default:
      return [];
  }
}

/** Texts in ascending order of their bytes. */
export interface WordList {
  readonly id: number;
  readonly words: readonly Uint8Array[];
}

/** Words of a list with indices from `from` to before `to`; their first `depth` bytes are equal. */
export interface WordRange {
  readonly list: WordList;
  readonly from: number;
  readonly to: number;
  readonly depth: number;
}

/** Narrows a range to the words whose next byte is the given one. */
export function narrowWords({ list, from, to, depth }: WordRange, byte: number): WordRange {
  const begin = findFirstIndex(from, to, (index) => byteAt(list, index, depth) >= byte);
  const end = findFirstIndex(begin, to, (index) => byteAt(list, index, depth) > byte);
  return { list, from: begin, to: end, depth: depth + 1 };
}

/** Returns the next bytes of the words of a range, in ascending order. */
export function listNextBytes({ list, from, to, depth }: WordRange): readonly number[] {
  const bytes: number[] = [];
  for (let index = from; index < to; ) {
    const byte = byteAt(list, index, depth);
    if (byte >= 0) bytes.push(byte);
    index = findFirstIndex(index, to, (other) => byteAt(list, other, depth) > byte);
  }
  return bytes;
}

/** Returns the byte at a depth; −1 after the end of a word, so that it sorts before longer ones. */
function byteAt({ words }: WordList, index: number, depth: number): number {
  return words[index]?.[depth] ?? -1;
}

/** Returns the first index of a sorted range that satisfies a condition; `to` if none does. */
function findFirstIndex(from: number, to: number, satisfies: (index: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (satisfies(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
