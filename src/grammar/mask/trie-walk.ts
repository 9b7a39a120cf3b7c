import { bytesOf } from "../language/byte-set.js";
import { derivative } from "../language/derivative.js";
import type { Expression } from "../language/expression.js";
import type { ExpressionStore } from "../language/expression-store.js";
import { firstBytes } from "../language/first-bytes.js";
import type { TokenTrie } from "./token-trie.js";

/** Nodes that are visited in the time of a unit of work. */
export const NODES_PER_UNIT = 8;

/** Where a walk leads: a node of the trie, and what may follow its text. */
export type Visit = (node: number, state: Expression) => void;

/** Walks over the tokens that a language allows: all nodes whose text begins one of its texts. */
export class TrieWalk {
  readonly #store: ExpressionStore;
  readonly #trie: TokenTrie;
  /** The root's child for each byte; 0: there is none. */
  readonly #rootChildren = new Int32Array(256);
  /** The state at each depth of the current path. */
  readonly #path: Expression[] = [];

  constructor(store: ExpressionStore, trie: TokenTrie) {
    this.#store = store;
    this.#trie = trie;
    for (let node = 1; node < trie.nodes; node = trie.end[node] as number) {
      this.#rootChildren[trie.byte[node] as number] = node;
    }
  }

  /** Visits the nodes below the root. */
  fromRoot(state: Expression, visit: Visit): void {
    this.#path[0] = state;
    for (const byte of bytesOf(firstBytes(this.#store, state))) {
      const child = this.#rootChildren[byte] as number;
      if (child !== 0) this.#walk(child, this.#trie.end[child] as number, visit);
    }
  }

  /** Visits the nodes below a node whose text leads to a state. */
  below(node: number, state: Expression, visit: Visit): void {
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
