import { foldText, foldWithPositions } from "./fold-text.js";

/** Part of an excerpt. */
export interface ExcerptPart {
  readonly text: string;
  /** Whether the text is one of the words that were searched for. */
  readonly is_match: boolean;
}

/** Characters before the first match, and after it. */
const CHARACTERS_BEFORE = 50;
const CHARACTERS_AFTER = 130;

/**
 * Cuts the surroundings of the first match out of a text. White space is collapsed, and an ellipsis
 * marks omitted text.
 * @param words folded words, of which the text contains at least one
 */
export function cutExcerpt(text: string, words: readonly string[]): readonly ExcerptPart[] {
  const first = findFirstMatch(text, words);
  const start = findWordStart(text, Math.max(0, first - CHARACTERS_BEFORE), first);
  const end = Math.min(text.length, first + CHARACTERS_AFTER);
  const cut = text.slice(start, endBeforeSurrogate(text, end)).replace(/\s+/g, " ").trim();
  const excerpt = `${start > 0 ? "…" : ""}${cut}${end < text.length ? "…" : ""}`;
  return markWords(excerpt, words);
}

/** Length of the pieces in which a text is folded. */
const PIECE_LENGTH = 1024;
/** Longer than any folded word with its accents. */
const OVERLAP = 512;

function findFirstMatch(text: string, words: readonly string[]): number {
  for (let start = 0; start < text.length; start += PIECE_LENGTH) {
    const piece = text.slice(start, start + PIECE_LENGTH + OVERLAP);
    const folded = foldText(piece);
    if (!words.some((word) => folded.includes(word))) continue;
    const { folded: mapped, positions } = foldWithPositions(piece);
    const indexes = words.map((word) => mapped.indexOf(word)).filter((index) => index !== -1);
    return start + (positions[Math.min(...indexes)] ?? 0);
  }
  return 0;
}

/** Returns the start of the first word from a position on, or the limit if that comes first. */
function findWordStart(text: string, from: number, limit: number): number {
  if (from === 0) return 0;
  const space = text.slice(from, limit).search(/\s/);
  return space === -1 ? from + (isLowSurrogate(text, from) ? 1 : 0) : from + space + 1;
}

function endBeforeSurrogate(text: string, end: number): number {
  return isLowSurrogate(text, end) ? end - 1 : end;
}

function isLowSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Splits a text into parts that match one of the words, and parts between them. */
function markWords(text: string, words: readonly string[]): readonly ExcerptPart[] {
  const { folded, positions } = foldWithPositions(text);
  const isMatched = new Array<boolean>(text.length).fill(false);
  for (const word of words) {
    for (let at = folded.indexOf(word); at !== -1; at = folded.indexOf(word, at + 1)) {
      isMatched.fill(true, positions[at], positions[at + word.length]);
    }
  }
  const parts: ExcerptPart[] = [];
  let start = 0;
  for (let index = 1; index <= text.length; index++) {
    if (index < text.length && isMatched[index] === isMatched[start]) continue;
    parts.push({ text: text.slice(start, index), is_match: isMatched[start] === true });
    start = index;
  }
  return parts;
}
