import { byteSymbols, preTokens, symbolsOf } from "./pre-tokens.js";
import type { Vocabulary } from "./vocabulary.js";

type Merge = readonly [left: string, right: string];

/** How many merges each phase may add. */
export interface MergeBudget {
  readonly letters: number;
  readonly marks: number;
  readonly words: number;
}

const space = byteSymbols[32] ?? "";

interface CountedPiece {
  readonly symbols: string[];
  readonly count: number;
}

/** The most frequent pair of neighbours, or undefined when none occurs twice. */
function mostFrequentPair(pieces: readonly CountedPiece[]): Merge | undefined {
  const counts = new Map<string, number>();
  for (const { symbols, count } of pieces) {
    for (let i = 0; i + 1 < symbols.length; i += 1) {
      const pair = `${symbols[i]} ${symbols[i + 1]}`;
      counts.set(pair, (counts.get(pair) ?? 0) + count);
    }
  }
  let best: string | undefined;
  let most = 1;
  for (const [pair, count] of counts) if (count > most) [best, most] = [pair, count];
  const [left, right] = best?.split(" ") ?? [];
  return left === undefined || right === undefined ? undefined : [left, right];
}

function applyMerge(symbols: string[], [left, right]: Merge): void {
  for (let i = 0; i + 1 < symbols.length; i += 1) {
    if (symbols[i] === left && symbols[i + 1] === right) symbols.splice(i, 2, left + right);
  }
}

/** Classic BPE over counted pieces: again and again the most frequent pair. */
function learnPairs(counted: ReadonlyMap<string, number>, budget: number): Merge[] {
  const pieces = [...counted].map(([piece, count]) => ({ symbols: symbolsOf(piece), count }));
  const merges: Merge[] = [];
  while (merges.length < budget) {
    const merge = mostFrequentPair(pieces);
    if (merge === undefined) break;
    merges.push(merge);
    for (const { symbols } of pieces) applyMerge(symbols, merge);
  }
  return merges;
}

/**
 * Learn merges in three phases. Letters first, without what stands before a word, so that a word
 * is cut in the same way after a space, after a quote and at the start of a line: copying words
 * from a sentence into JSON then keeps their tokens. Then punctuation and line ends. Last, a space
 * joins the most frequent whole words, except those in `apart`, which conversations copy around.
 */
export function learnMerges(
  texts: Iterable<string>,
  budget: MergeBudget,
  apart: ReadonlySet<string>,
): Vocabulary["merges"] {
  const letters = new Map<string, number>();
  const marks = new Map<string, number>();
  const spaced = new Map<string, number>();
  const add = (map: Map<string, number>, key: string): void =>
    void map.set(key, (map.get(key) ?? 0) + 1);
  for (const text of texts) {
    for (const piece of preTokens(text)) {
      const word = /\p{L}+$/u.exec(piece)?.[0];
      if (word === undefined) add(marks, piece);
      else {
        add(letters, word);
        if (piece === ` ${word}`) add(spaced, word);
      }
    }
  }
  const frequent = [...letters].filter(([, count]) => count > 2);
  const inLetters = learnPairs(new Map(frequent), budget.letters);
  const whole = new Set(inLetters.map(([left, right]) => left + right));
  const joined = [...spaced]
    .filter(([word]) => (whole.has(word) || word === "a" || word === "I") && !apart.has(word))
    .sort(([, a], [, b]) => b - a)
    .slice(0, budget.words)
    .map(([word]): Merge => [space, word]);
  return [...inLetters, ...learnPairs(marks, budget.marks), ...joined];
}
