import { listBytes } from "./byte-sets.js";
import type { Expression } from "./expression.js";

/** Bounds, in bytes, of the texts that lead to the end of a language. */
interface CompletionLengths {
  /** Upper bound of the length of its shortest text. */
  readonly shortest: number;
  /** Upper bound of the length of the shortest text to the end, over all reachable states. */
  readonly longestWay: number;
  /**
   * Whether every prefix can be completed to texts of any greater length, one ASCII character at a
   * time.
   */
  readonly isOpenEnded: boolean;
}

const lengthsByLanguage = new WeakMap<Expression, CompletionLengths>();
const UNKNOWN: CompletionLengths = {
  shortest: Number.POSITIVE_INFINITY,
  longestWay: Number.POSITIVE_INFINITY,
  isOpenEnded: false,
};

/** Returns bounds of the texts that lead to the end of a regular language; infinite if unknown. */
export function completionLengths(language: Expression): CompletionLengths {
  let lengths = lengthsByLanguage.get(language);
  if (lengths === undefined) {
    lengths = computeLengths(language);
    lengthsByLanguage.set(language, lengths);
  }
  return lengths;
}

function computeLengths({ form }: Expression): CompletionLengths {
  switch (form.kind) {
    case "empty":
      return { shortest: 0, longestWay: 0, isOpenEnded: false };
    case "byte":
      return { shortest: 1, longestWay: 1, isOpenEnded: false };
    case "words": {
      const { list, from, to, depth } = form;
      let [shortest, longestWay] = [Number.POSITIVE_INFINITY, 0];
      for (let index = from; index < to; index++) {
        const remainingLength = (list.words[index]?.length ?? 0) - depth;
        shortest = Math.min(shortest, remainingLength);
        longestWay = Math.max(longestWay, remainingLength);
      }
      return { shortest, longestWay, isOpenEnded: false };
    }
    case "sequence": {
      const [head, tail] = [completionLengths(form.head), completionLengths(form.tail)];
      return {
        shortest: head.shortest + tail.shortest,
        longestWay: Math.max(head.longestWay + tail.shortest, tail.longestWay),
        isOpenEnded: tail.isOpenEnded,
      };
    }
    case "choice": {
      const options = form.options.map(completionLengths);
      return {
        shortest: Math.min(...options.map(({ shortest }) => shortest)),
        longestWay: Math.max(...options.map(({ longestWay }) => longestWay)),
        isOpenEnded: options.every(({ isOpenEnded }) => isOpenEnded),
      };
    }
    case "repeat": {
      const { shortest, longestWay } = completionLengths(form.of);
      return {
        shortest: form.min === 0 ? 0 : form.min * shortest,
        longestWay: longestWay + (form.min === 0 ? 0 : form.min * shortest),
        isOpenEnded: form.max === Number.POSITIVE_INFINITY && hasAsciiCharacter(form.of),
      };
    }
    case "lexeme":
      return completionLengths(form.of);
    case "scan":
      return form.ends === "before-trigger"
        ? { shortest: 0, longestWay: 0, isOpenEnded: false }
        : UNKNOWN;
    default:
      return UNKNOWN;
  }
}

/** Whether a byte is a complete character that needs no escape in a JSON string. */
function isPlainAscii(byte: number): boolean {
  return byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
}

/** Whether a language has a text of a single plain ASCII character. */
function hasAsciiCharacter({ form }: Expression): boolean {
  if (form.kind === "choice") return form.options.some(hasAsciiCharacter);
  return form.kind === "byte" && listBytes(form.set).some(isPlainAscii);
}
