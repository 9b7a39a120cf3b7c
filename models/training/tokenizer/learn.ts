import { byteSymbols, preTokens, symbolsOf } from "./pre-tokens.js";
import type { Vocabulary } from "./vocabulary.js";

type Merge = readonly [left: string, right: string];

/**
 * Maximum number of merges of each phase; merges of letters count five times, once per surface
 * form.
 */
export interface MergeBudget {
  readonly letters: number;
  readonly marks: number;
}

const space = byteSymbols[32] ?? "";
const alphabet = Array.from({ length: 26 }, (_, i) => String.fromCharCode(97 + i));

interface CountedPiece {
  readonly symbols: string[];
  readonly count: number;
}

/** Most frequent pair of neighbours; undefined if none occurs twice. */
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

/** Classic BPE over counted pieces, which repeatedly merges the most frequent pair. */
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

const capital = (piece: string): string => piece.charAt(0).toUpperCase() + piece.slice(1);

/** Adds the capitalised and the upper-case variant after each merge of lower-case letters. */
function inEveryCase(merges: readonly Merge[]): Merge[] {
  return merges.flatMap(([left, right]): Merge[] => [
    [left, right],
    [capital(left), right],
    [left.toUpperCase(), right.toUpperCase()],
  ]);
}

/**
 * Learns merges of lower-case letters, then of punctuation and line ends. Each merge of letters
 * also exists with a capital and in upper case, and finally a space is joined to every piece of
 * letters. A word is thus split at the same positions at the start of a sentence, after a space,
 * after a quote, in capitals and inside a name such as `get_weather`; its tokens differ only in
 * their surface form (`train/token_family.py`). A model that copies words then only has to find
 * equal pieces.
 */
export function learnMerges(texts: Iterable<string>, budget: MergeBudget): Vocabulary["merges"] {
  const letters = new Map<string, number>();
  const marks = new Map<string, number>();
  const add = (map: Map<string, number>, key: string): void =>
    void map.set(key, (map.get(key) ?? 0) + 1);
  for (const text of texts) {
    for (const piece of preTokens(text)) {
      const run = /\p{L}+$/u.exec(piece)?.[0];
      if (run === undefined) add(marks, piece);
      else for (const word of run.match(/[A-Za-z]?[a-z]+/g) ?? []) add(letters, word.toLowerCase());
    }
  }
  const frequent = [...letters].filter(([, count]) => count > 2);
  const inLetters = learnPairs(new Map(frequent), budget.letters);
  const pieces = [...alphabet, ...inLetters.map(([left, right]) => left + right)];
  return [
    ...inEveryCase(inLetters),
    ...learnPairs(marks, budget.marks),
    ...pieces.flatMap((piece): Merge[] => [
      [space, piece],
      [space, capital(piece)],
    ]),
  ];
}
