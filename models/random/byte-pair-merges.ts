import { toByteAlphabet } from "../../src/engine/text/vocabulary/token-bytes.js";

/** Two adjacent parts of a word that the tokenizer merges. */
export interface Merge {
  readonly left: string;
  readonly right: string;
}

interface Word {
  parts: string[];
  readonly count: number;
}

/**
 * Splits a text into words before merging, like llama.cpp's pre-tokenizer `qwen2`, which preserves
 * all spaces when detokenising, unlike `gpt-2`.
 */
const wordPattern =
  /(?:'[sdmt]|'ll|'ve|'re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+/giu;

/**
 * Learns byte-pair merges from a text: repeatedly merges the most frequent pair of adjacent parts. Of
 * equally frequent pairs the first one in the text wins. Stops early when no pair occurs twice.
 *
 * @returns at most `maxCount` merges, in the order in which they were learned
 */
export function learnMerges(sample: string, maxCount: number): Merge[] {
  const words = countWords(sample);
  const merges: Merge[] = [];
  while (merges.length < maxCount) {
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
    for (const [left, right] of adjacentPairs(parts)) {
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
  let pending: string | undefined;
  for (const part of parts) {
    if (pending === left && part === right) {
      merged.push(left + right);
      pending = undefined;
    } else {
      if (pending !== undefined) merged.push(pending);
      pending = part;
    }
  }
  if (pending !== undefined) merged.push(pending);
  return merged;
}

function* adjacentPairs(parts: readonly string[]): Iterable<[string, string]> {
  let left: string | undefined;
  for (const right of parts) {
    if (left !== undefined) yield [left, right];
    left = right;
  }
}
