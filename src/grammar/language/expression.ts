import type { BytePartition, ByteSet } from "./byte-sets.js";
import type { TriggerScan } from "./trigger-scan.js";

/**
 * The form of an expression. Expressions denote sets of symbol strings; the symbols are bytes and
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
   * What follows the first `depth` bytes, which they share, of the words from `from` to before `to`
   * of a sorted list.
   */
  | ({ readonly kind: "words" } & WordRange)
  /** Nested to the right: the head is never a sequence. */
  | { readonly kind: "sequence"; readonly head: Expression; readonly tail: Expression }
  /** At least two options, none a choice, in ascending id. */
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
  /** Digits whose number, after others that left `remainder`, is a multiple of `divisor`. */
  | { readonly kind: "multiple"; readonly divisor: number; readonly remainder: number }
  /** A regular language that masks are kept for, whatever follows it. */
  | { readonly kind: "lexeme"; readonly of: Expression }
  /** Text and control tokens until a trigger ends it, or without any trigger. */
  | {
      readonly kind: "scan";
      readonly scan: TriggerScan;
      readonly state: number;
      readonly ends: "with-trigger" | "before-trigger";
    }
  | { readonly kind: "control-token"; readonly token: number }
  /** A name for a language that may refer to itself; made when it is first needed. */
  | { readonly kind: "rule"; readonly body: () => Expression };

/**
 * A language, which is also a state: what may follow the text so far. Made by an
 * `ExpressionStore`, in which equal forms are the same object. What has been computed about it is kept
 * in it: one class for all forms, because these fields are read for every byte.
 */
export class Expression {
  readonly id: number;
  readonly form: Form;
  /** Contains an intersection or a complement, so that it may match nothing without looking so. */
  readonly isDoubtful: boolean;
  /** Contains a repetition with a count, which differs from text to text. */
  readonly isCounted: boolean;
  /** Whether it matches the empty text. */
  nullable: boolean | undefined;
  /** Whether it matches any text. */
  productive: boolean | undefined;
  /** The bytes that its texts may begin with, and perhaps some more. */
  firstBytes: ByteSet | undefined;
  /** The classes of bytes that it does not distinguish as its first. */
  firstByteClasses: BytePartition | undefined;
  /** Derivatives: the only one computed so far, or a table by byte. */
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

/** The parts of an expression; those of rules are not known yet. */
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

/** The words of a list from `from` to before `to`, which have their first `depth` bytes in common. */
export interface WordRange {
  readonly list: WordList;
  readonly from: number;
  readonly to: number;
  readonly depth: number;
}

/** The words of a range that go on with a byte. */
export function wordsWith({ list, from, to, depth }: WordRange, byte: number): WordRange {
  const begin = firstIndex(from, to, (index) => byteAt(list, index, depth) >= byte);
  const end = firstIndex(begin, to, (index) => byteAt(list, index, depth) > byte);
  return { list, from: begin, to: end, depth: depth + 1 };
}

/** The bytes that words of a range go on with, in ascending order. */
export function nextBytes({ list, from, to, depth }: WordRange): readonly number[] {
  const bytes: number[] = [];
  for (let index = from; index < to; ) {
    const byte = byteAt(list, index, depth);
    if (byte >= 0) bytes.push(byte);
    index = firstIndex(index, to, (other) => byteAt(list, other, depth) > byte);
  }
  return bytes;
}

/** −1 after the end of a word: it sorts before all longer ones. */
function byteAt({ words }: WordList, index: number, depth: number): number {
  return words[index]?.[depth] ?? -1;
}

/** The first index in a sorted range that satisfies a condition; `to` if none does. */
function firstIndex(from: number, to: number, satisfies: (index: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (satisfies(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
