import { BoundedCache } from "../bounded-cache.js";
import { derivative } from "../language/derivative.js";
import type { Expression } from "../language/expression.js";
import type { ExpressionStore } from "../language/expression-store.js";
import { isNullable } from "../language/first-symbols.js";
import { BitSet } from "./bit-set.js";
import { Reach } from "./bounded-language.js";
import { allow, allowAll, allowNode, createMask, type TokenMask, toggle } from "./token-mask.js";
import { NODES_PER_UNIT, type TokenTrie, TrieWalk } from "./token-trie.js";

/** Maximum memory for the masks of states. */
const MAX_STATE_BYTES = 32 * 2 ** 20;

/** Computes and caches the tokens that may come next, by grammar state. */
export class TokenMasks {
  readonly #store: ExpressionStore;
  readonly #trie: TokenTrie;
  readonly #walk: TrieWalk;
  readonly #lexemes: LexemeMasks;
  readonly #masks = new BoundedCache<Expression, TokenMask>(
    MAX_STATE_BYTES,
    (mask) => mask.byteLength,
  );

  constructor(store: ExpressionStore, trie: TokenTrie) {
    this.#store = store;
    this.#trie = trie;
    this.#walk = new TrieWalk(store, trie);
    this.#lexemes = new LexemeMasks(store, trie, this.#walk);
  }

  /**
   * Returns the tokens with text that may come next in a state. The mask is cached and must not be
   * changed.
   */
  maskOf(state: Expression): TokenMask {
    return this.#masks.get(state, () => {
      const mask = createMask(this.#trie);
      this.#allow(mask, state, this.#store.empty);
      return mask;
    });
  }

  #allow(mask: TokenMask, head: Expression, tail: Expression): void {
    const { form } = head;
    switch (form.kind) {
      case "choice":
        for (const option of form.options) this.#allow(mask, option, tail);
        break;
      case "sequence":
        this.#allow(mask, form.head, this.#store.sequence(form.tail, tail));
        break;
      case "rule":
        this.#allow(mask, form.body(), tail);
        break;
      case "scan":
        // A scan that ends with a trigger has few states from which other tokens lead out of it.
        if (form.ends === "with-trigger") this.#lexemes.allowFor(mask, head, tail);
        else this.#walkAll(mask, this.#store.sequence(head, tail));
        break;
      case "lexeme":
        this.#lexemes.allowFor(mask, head, tail);
        if (isNullable(head)) this.#allow(mask, tail, this.#store.empty);
        break;
      case "empty":
        if (tail !== this.#store.empty) this.#allow(mask, tail, this.#store.empty);
        break;
      default:
        this.#walkAll(mask, this.#store.sequence(head, tail));
    }
  }

  #walkAll(mask: TokenMask, state: Expression): void {
    this.#walk.visitFromRoot(state, (node) => allowNode(mask, this.#trie, node));
  }
}

/** Tokens that a lexeme allows independently of the text that follows it. */
interface LexemeMask {
  /** Tokens within the lexeme, up to its end: as a mask, or as a list if they are few. */
  readonly within:
    | { readonly kind: "mask"; readonly mask: TokenMask; readonly byOrder: BitSet }
    | { readonly kind: "list"; readonly tokens: Int32Array };
  /**
   * Nodes at which the lexeme may end within a longer token, ascending: the following text decides
   * about these tokens.
   */
  readonly exits: Int32Array;
}

/** Lexeme that most texts lead back to, like the inside of a string, and its mask. */
interface Loop {
  readonly lexeme: Expression;
  /** Allowed tokens, by their index in byte order. */
  readonly byOrder: BitSet;
  readonly mask: TokenMask;
  readonly exits: Int32Array;
}

/** Maximum memory for the masks of lexemes. */
const MAX_LEXEME_BYTES = 64 * 2 ** 20;
/** Maximum number of loops that a lexeme is compared with. */
const MAX_NEAREST = 2;
/** Bytes by which loops are recognised; they are frequent in most texts. */
const PROBES = Buffer.from("e 0E_é");

function countBytes({ within, exits }: LexemeMask): number {
  const size =
    within.kind === "mask"
      ? within.mask.byteLength + within.byOrder.byteLength
      : within.tokens.byteLength;
  return size + exits.byteLength;
}

/**
 * Computes and caches the masks of lexemes, which many states and grammars share: the inside of a
 * string, for example, allows nearly all tokens.
 */
class LexemeMasks {
  readonly #store: ExpressionStore;
  readonly #trie: TokenTrie;
  readonly #walk: TrieWalk;
  readonly #reach: Reach;
  readonly #masks = new BoundedCache<Expression, LexemeMask>(MAX_LEXEME_BYTES, countBytes);
  readonly #maxHeight: number;
  /** Lexemes being computed. Loops may lead to each other, and must not recurse. */
  readonly #inProgress = new Set<Expression>();

  constructor(store: ExpressionStore, trie: TokenTrie, walk: TrieWalk) {
    this.#store = store;
    this.#trie = trie;
    this.#walk = walk;
    this.#reach = new Reach(store);
    this.#maxHeight = trie.height[0] ?? 0;
  }

  /** Allows the tokens that begin within a lexeme, including tokens that continue after it. */
  allowFor(mask: TokenMask, lexeme: Expression, tail: Expression): void {
    const { within, exits } = this.#lexemeMaskOf(this.#reach.simplify(lexeme, this.#maxHeight));
    if (within.kind === "mask") allowAll(mask, within.mask);
    else for (const token of within.tokens) allow(mask, token);
    if (tail === this.#store.empty) return;
    const visit = (node: number) => allowNode(mask, this.#trie, node);
    for (const node of exits) this.#walk.visitBelow(node, tail, visit);
  }

  #lexemeMaskOf(lexeme: Expression): LexemeMask {
    return this.#masks.get(lexeme, () => {
      this.#inProgress.add(lexeme);
      try {
        return this.#compute(lexeme);
      } finally {
        this.#inProgress.delete(lexeme);
      }
    });
  }

  /**
   * Computes a mask from that of a loop: where a text leads a lexeme and a loop to the same state,
   * both allow the same continuations, so only the differences are walked.
   */
  #compute(lexeme: Expression): LexemeMask {
    const loops = this.#findLoops(lexeme);
    const { byOrder, exits } = this.#walkWithLoops(lexeme, loops);
    return { within: this.#compact(byOrder, loops[0]), exits: Int32Array.from(exits) };
  }

  #walkWithLoops(
    lexeme: Expression,
    loops: readonly Loop[],
  ): { readonly byOrder: BitSet; readonly exits: readonly number[] } {
    const { byte: bytes, depth: depths, end: ends, firstToken, nodes, tokens } = this.#trie;
    const store = this.#store;
    const { nothing } = store;
    const byOrder = new BitSet(tokens.length);
    const exits: number[] = [];
    const path: Expression[] = [lexeme];
    const loopPaths = loops.map((loop) => ({ loop, path: [loop.lexeme] }));
    let node = 1;
    let visited = 0;
    while (node < nodes) {
      visited++;
      const depth = depths[node] as number;
      const end = ends[node] as number;
      const byte = bytes[node] as number;
      const state = path[depth - 1] as Expression;
      const next = state.derivatives?.[byte] ?? derivative(store, state, byte);
      if (next === nothing) {
        node = end;
        continue;
      }
      const isLeaf = end === node + 1;
      const loop = isLeaf ? undefined : this.#findMeetingLoop(loopPaths, next, node);
      if (loop !== undefined) {
        byOrder.addRangeOf(loop.byOrder, firstToken[node] as number, firstToken[end] as number);
        for (const exit of sliceBetween(loop.exits, node, end)) exits.push(exit);
        node = end;
        continue;
      }
      path[depth] = next;
      byOrder.addRange(firstToken[node] as number, firstToken[node + 1] as number);
      if (!isLeaf && isNullable(next)) exits.push(node);
      node++;
    }
    store.meter.spend(visited / NODES_PER_UNIT);
    return { byOrder, exits };
  }

  /** Advances the loops to a node; returns one in the given state, as far as tokens reach. */
  #findMeetingLoop(
    loopPaths: readonly { readonly loop: Loop; readonly path: Expression[] }[],
    state: Expression,
    node: number,
  ): Loop | undefined {
    if (loopPaths.length === 0) return undefined;
    const { byte, depth, height } = this.#trie;
    const nodeDepth = depth[node] as number;
    const reachable = this.#reach.simplify(state, height[node] as number);
    let metLoop: Loop | undefined;
    for (const { loop, path } of loopPaths) {
      const loopState = derivative(
        this.#store,
        path[nodeDepth - 1] as Expression,
        byte[node] as number,
      );
      path[nodeDepth] = loopState;
      if (loopState === reachable) metLoop = loop;
    }
    return metLoop;
  }

  /**
   * Returns the loops that most probes lead to, for example from the key of an object to the inside
   * of any string, with their masks.
   */
  #findLoops(lexeme: Expression): readonly Loop[] {
    const probes = new Map<Expression, number>();
    for (const byte of PROBES) {
      for (const next of this.#computeReachable(lexeme, byte)) {
        probes.set(next, (probes.get(next) ?? 0) + 1);
      }
    }
    return [...probes.keys()]
      .filter((next) => !this.#inProgress.has(next) && this.#isLoop(next))
      .toSorted((a, b) => (probes.get(b) ?? 0) - (probes.get(a) ?? 0))
      .slice(0, MAX_NEAREST)
      .flatMap((next) => {
        const { within, exits } = this.#lexemeMaskOf(next);
        return within.kind === "mask" ? [{ ...within, lexeme: next, exits }] : [];
      });
  }

  /** Returns the states after a byte, simplified for the longest and for the shortest reach. */
  #computeReachable(lexeme: Expression, byte: number): ReadonlySet<Expression> {
    const next = derivative(this.#store, lexeme, byte);
    return new Set([this.#maxHeight, 0].map((bytes) => this.#reach.simplify(next, bytes)));
  }

  /** Whether most probes lead a lexeme back to itself. */
  #isLoop(lexeme: Expression): boolean {
    const { kind } = lexeme.form;
    if (kind !== "lexeme" && kind !== "scan") return false;
    const returningProbes = PROBES.filter(
      (byte) => derivative(this.#store, lexeme, byte) === lexeme,
    );
    return returningProbes.length * 2 >= PROBES.length;
  }

  #compact(byOrder: BitSet, loop: Loop | undefined): LexemeMask["within"] {
    const { tokens } = this.#trie;
    const { size } = byOrder;
    const mask = loop?.mask.slice() ?? createMask(this.#trie);
    if (size < mask.length) {
      const list = new Int32Array(size);
      let next = 0;
      byOrder.forEach((index) => {
        list[next++] = tokens[index] as number;
      });
      return { kind: "list", tokens: list };
    }
    byOrder.forEachDifference(loop?.byOrder ?? new BitSet(tokens.length), (index) =>
      toggle(mask, tokens[index] as number),
    );
    return { kind: "mask", mask, byOrder };
  }
}

/** Returns the part of an ascending list from `from` to before `to`. */
function sliceBetween(ascending: Int32Array, from: number, to: number): Int32Array {
  return ascending.subarray(findFirstAtLeast(ascending, from), findFirstAtLeast(ascending, to));
}

function findFirstAtLeast(ascending: Int32Array, value: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] as number) >= value) high = middle;
    else low = middle + 1;
  }
  return low;
}
