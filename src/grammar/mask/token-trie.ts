import assert from "node:assert/strict";
import { listBytes } from "../language/byte-sets.js";
import { derivative } from "../language/derivative.js";
import type { Expression } from "../language/expression.js";
import type { ExpressionStore } from "../language/expression-store.js";
import { firstBytes } from "../language/first-symbols.js";

/** Token with text. */
export interface TextToken {
  readonly id: number;
  readonly bytes: Uint8Array;
}

/** Maximum number of bytes of a token. */
export const MAX_TOKEN_BYTES = 2 ** 16 - 1;

/**
 * Trie of a vocabulary's tokens by their bytes. Nodes are numbered in depth-first order: the
 * children of a node follow it, and `end[node]` is the first node that is not below it. Node 0 is
 * the root.
 */
export interface TokenTrie {
  readonly nodes: number;
  readonly byte: Uint8Array;
  /** Number of bytes from the root to each node. */
  readonly depth: Uint16Array;
  readonly end: Int32Array;
  /** Number of bytes on the longest path down from each node. */
  readonly height: Uint16Array;
  /** Tokens in byte order. */
  readonly tokens: Int32Array;
  /** Index of each node's first token; its tokens end before the first token of the next node. */
  readonly firstToken: Int32Array;
  /** Highest token id plus one. */
  readonly vocabularySize: number;
}

/** Builds the trie of a vocabulary. Tokens without text are left out. */
export function buildTokenTrie(vocabulary: Iterable<TextToken>, vocabularySize: number): TokenTrie {
  const sorted = [...vocabulary]
    .filter(({ bytes }) => bytes.length > 0)
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  for (const { id, bytes } of sorted) {
    assert(id >= 0 && id < vocabularySize, `token ${id} is outside the vocabulary`);
    assert(bytes.length <= MAX_TOKEN_BYTES, `token ${id} has ${bytes.length} bytes`);
  }
  const capacity = 1 + sorted.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const byte = new Uint8Array(capacity);
  const depth = new Uint16Array(capacity);
  const end = new Int32Array(capacity);
  const height = new Uint16Array(capacity);
  const firstToken = new Int32Array(capacity + 1);
  const path = [0];
  let nodes = 1;
  let previous: Uint8Array = new Uint8Array();
  for (const [index, { bytes }] of sorted.entries()) {
    let sharedLength = 0;
    while (sharedLength < previous.length && previous[sharedLength] === bytes[sharedLength])
      sharedLength++;
    for (const closed of path.splice(sharedLength + 1)) end[closed] = nodes;
    for (const [above, node] of path.entries()) {
      height[node] = Math.max(height[node] ?? 0, bytes.length - above);
    }
    for (let position = sharedLength; position < bytes.length; position++) {
      byte[nodes] = bytes[position] ?? 0;
      depth[nodes] = position + 1;
      height[nodes] = bytes.length - position - 1;
      firstToken[nodes] = index;
      path.push(nodes++);
    }
    previous = bytes;
  }
  for (const open of path) end[open] = nodes;
  firstToken[nodes] = sorted.length;
  return {
    nodes,
    byte: byte.slice(0, nodes),
    depth: depth.slice(0, nodes),
    end: end.slice(0, nodes),
    height: height.slice(0, nodes),
    tokens: Int32Array.from(sorted, ({ id }) => id),
    firstToken: firstToken.slice(0, nodes + 1),
    vocabularySize,
  };
}

/** Number of nodes visited in the time of one unit of work. */
export const NODES_PER_UNIT = 8;

/** Receives a node of the trie and the state after its text. */
export type Visit = (node: number, state: Expression) => void;

/**
 * Walks over the tokens that a language allows, visiting all nodes whose text is a prefix of one of
 * its texts.
 */
export class TrieWalk {
  readonly #store: ExpressionStore;
  readonly #trie: TokenTrie;
  /** Child of the root for each byte; 0 if there is none. */
  readonly #rootChildren = new Int32Array(256);
  /** State at each depth of the current path. */
  readonly #path: Expression[] = [];

  constructor(store: ExpressionStore, trie: TokenTrie) {
    this.#store = store;
    this.#trie = trie;
    for (let node = 1; node < trie.nodes; node = trie.end[node] as number) {
      this.#rootChildren[trie.byte[node] as number] = node;
    }
  }

  /** Visits the allowed nodes below the root. */
  visitFromRoot(state: Expression, visit: Visit): void {
    this.#path[0] = state;
    for (const byte of listBytes(firstBytes(this.#store, state))) {
      const child = this.#rootChildren[byte] as number;
      if (child !== 0) this.#walk(child, this.#trie.end[child] as number, visit);
    }
  }

  /** Visits the allowed nodes below a node whose text leads to the given state. */
  visitBelow(node: number, state: Expression, visit: Visit): void {
    this.#path[this.#trie.depth[node] as number] = state;
    this.#walk(node + 1, this.#trie.end[node] as number, visit);
  }

  #walk(from: number, to: number, visit: Visit): void {
    const { byte: bytes, depth: depths, end: ends } = this.#trie;
    const path = this.#path;
    const store = this.#store;
    let node = from;
    let visited = 0;
    while (node < to) {
      visited++;
      const depth = depths[node] as number;
      const byte = bytes[node] as number;
      const state = path[depth - 1] as Expression;
      const next = state.derivatives?.[byte] ?? derivative(store, state, byte);
      if (next === store.nothing) {
        node = ends[node] as number;
        continue;
      }
      path[depth] = next;
      visit(node, next);
      node++;
    }
    store.meter.spend(visited / NODES_PER_UNIT);
  }
}
