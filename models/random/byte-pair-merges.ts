import { toByteAlphabet } from "../../src/engine/llama/vocabulary/byte-alphabet.js";

/** Two neighbouring parts of a word that the tokenizer joins. */
export interface Merge {
  readonly left: string;
  readonly right: string;
}

interface Word {
  parts: string[];
  readonly count: number;
}

/**
 * How a text falls into words before merging: llama.cpp's pre-tokenizer `qwen2`. Unlike the one
 * named `gpt-2` it detokenises every space where it was.
 */
const wordPattern =
  /(?:'[sdmt]|'ll|'ve|'re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+/giu;

/**
 * Learns byte-pair merges from a text: the most frequent pair of neighbours becomes one part, again
 * and again. Of equally frequent pairs the one met first wins. Stops early when no pair occurs twice.
 *
 * @returns at most `count` merges, the first learned first
 */
export function learnMerges(sample: string, count: number): Merge[] {
  const words = countWords(sample);
  const merges: Merge[] = [];
  while (merges.length < count) {
    const merge = mostFrequentPair(words);
    if (merge === undefined) break;
    merges.push(merge);
    for (const word of words) word.parts = applyMerge(word.parts, merge);
  }
  return merges;
}

function countWords(sample: string): Word[] {
  const counts = new Map<string, number>();
  for (const [word] of sample.matchAll(wordPattern)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Array.from(counts, ([word, count]) => ({ parts: toByteAlphabet(word), count }));
}

function mostFrequentPair(words: readonly Word[]): Merge | undefined {
  const pairs = new Map<string, Merge & { count: number }>();
  for (const { parts, count } of words) {
    for (const [left, right] of neighbours(parts)) {
      const key = `${left} ${right}`;
      const pair = pairs.get(key);
      if (pair === undefined) pairs.set(key, { left, right, count });
      else pair.count += count;
    }
  }
  let best: (Merge & { count: number }) | undefined;
  for (const pair of pairs.values()) if (pair.count > (best?.count ?? 1)) best = pair;
  return best && { left: best.left, right: best.right };
}

function applyMerge(parts: readonly string[], { left, right }: Merge): string[] {
  const merged: string[] = [];
  let open: string | undefined;
  for (const part of parts) {
    if (open === left && part === right) {
      merged.push(left + right);
      open = undefined;
    } else {
      if (open !== undefined) merged.push(open);
      open = part;
    }
  }
  if (open !== undefined) merged.push(open);
  return merged;
}

function* neighbours(parts: readonly string[]): Iterable<[string, string]> {
  let left: string | undefined;
  for (const right of parts) {
    if (left !== undefined) yield [left, right];
    left = right;
  }
}
