import type { TokenTrie } from "./token-trie.js";

/** Allowed tokens: one bit per token of the vocabulary, lowest first. */
export type TokenMask = Uint32Array;

/** Creates a mask that allows nothing. */
export function createMask({ vocabularySize }: TokenTrie): TokenMask {
  return new Uint32Array(Math.ceil(vocabularySize / 32));
}

export function allows(mask: TokenMask, token: number): boolean {
  return (((mask[token >>> 5] ?? 0) >>> (token & 31)) & 1) === 1;
}

export function allow(mask: TokenMask, token: number): void {
  const word = token >>> 5;
  mask[word] = (mask[word] as number) | (1 << (token & 31));
}

/** Inverts whether a mask allows a token. */
export function toggle(mask: TokenMask, token: number): void {
  const word = token >>> 5;
  mask[word] = (mask[word] as number) ^ (1 << (token & 31));
}

/** Allows the tokens of a node of the trie. */
export function allowNode(mask: TokenMask, trie: TokenTrie, node: number): void {
  const end = trie.firstToken[node + 1] as number;
  for (let index = trie.firstToken[node] as number; index < end; index++) {
    allow(mask, trie.tokens[index] as number);
  }
}

/** Allows all tokens that another mask allows. */
export function allowAll(mask: TokenMask, other: TokenMask): void {
  for (let word = 0; word < other.length; word++) {
    mask[word] = (mask[word] as number) | (other[word] as number);
  }
}
