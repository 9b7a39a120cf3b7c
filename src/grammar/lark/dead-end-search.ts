import type { Grammar, GrammarNode } from "../grammar.js";
import { ExpressionBuilder } from "../language/build-expression.js";
import { derivative } from "../language/derivative.js";
import type { Expression } from "../language/expression.js";
import { ExpressionStore } from "../language/expression-store.js";
import { byteRepresentatives, isNullable } from "../language/first-symbols.js";

/** Maximum work of the search: some hundreds of milliseconds. */
const MAX_WORK = 600_000;

/**
 * Whether a text of a grammar, while staying within a regular language, may reach a point from
 * which it cannot end within that language. Conservative: it considers each part separately, as if
 * there were no alternatives to it.
 * @throws {WorkLimitExceeded}
 */
export function mayGetStuck(grammar: Grammar, within: GrammarNode): boolean {
  const store = new ExpressionStore();
  return store.meter.limit(MAX_WORK, () => new Search(store, grammar).mayGetStuck(within));
}

/** Results for a part that begins in a state of the regular language. */
interface Entry {
  /** States in which the part may end. */
  readonly exits: Set<Expression>;
  readonly listeners: ((exit: Expression) => void)[];
}

/** State of a part's language, paired with the state of the regular language. */
interface Pair {
  readonly partState: Expression;
  readonly state: Expression;
  readonly before: Pair[];
  hasEnd: boolean;
}

/** Follows each part once from each state in which it is reached; parts may be recursive. */
class Search {
  readonly #store: ExpressionStore;
  readonly #grammar: Grammar;
  readonly #builder: ExpressionBuilder;
  readonly #entries = new Map<GrammarNode, Map<Expression, Entry>>();
  /** Explicit work list, since chains of parts may be deeper than the call stack. */
  readonly #workList: (() => void)[] = [];
  #isStuck = false;

  constructor(store: ExpressionStore, grammar: Grammar) {
    this.#store = store;
    this.#grammar = grammar;
    this.#builder = new ExpressionBuilder(store, grammar, () => undefined);
  }

  mayGetStuck(within: GrammarNode): boolean {
    this.#follow(this.#grammar.root, this.#builder.build(within), (exit) => {
      if (!isNullable(exit)) this.#isStuck = true;
    });
    for (let next = this.#workList.pop(); next !== undefined; next = this.#workList.pop()) next();
    const entries = [...this.#entries.values()].flatMap((states) => [...states.values()]);
    return this.#isStuck || entries.some(({ exits }) => exits.size === 0);
  }

  #follow(node: GrammarNode, state: Expression, then: (exit: Expression) => void): void {
    let states = this.#entries.get(node);
    if (states === undefined) {
      states = new Map();
      this.#entries.set(node, states);
    }
    let entry = states.get(state);
    if (entry === undefined) {
      const { exits, listeners } = { exits: new Set<Expression>(), listeners: [] };
      entry = { exits, listeners };
      states.set(state, entry);
      const createdEntry = entry;
      this.#workList.push(() =>
        this.#enter(node, state, (exit) => this.#leave(createdEntry, exit)),
      );
    }
    this.#store.meter.spend(1);
    entry.listeners.push(then);
    for (const exit of entry.exits) this.#workList.push(() => then(exit));
  }

  #leave({ exits, listeners }: Entry, exit: Expression): void {
    if (exits.has(exit)) return;
    exits.add(exit);
    for (const listener of listeners) this.#workList.push(() => listener(exit));
  }

  #enter(node: GrammarNode, state: Expression, leave: (exit: Expression) => void): void {
    switch (node.type) {
      case "sequence":
        this.#followSequence(node.parts, state, leave);
        break;
      case "choice":
        for (const option of node.options) this.#follow(option, state, leave);
        break;
      case "repeat":
        this.#followRepeat(node, state, leave);
        break;
      case "rule": {
        const body = this.#grammar.rules[node.name];
        if (body !== undefined) this.#follow(body, state, leave);
        break;
      }
      case "lexeme": {
        const language = this.#builder.build(node);
        // A counted repetition has as many states as its count.
        if (language.isCounted) this.#follow(node.of, state, leave);
        else this.#followRegular(language, state, leave);
        break;
      }
      default:
        this.#followRegular(this.#builder.build(node), state, leave);
    }
  }

  #followSequence(
    parts: readonly GrammarNode[],
    state: Expression,
    leave: (exit: Expression) => void,
  ): void {
    const reached = parts.map(() => new Set<Expression>());
    const step = (index: number, from: Expression): void => {
      const part = parts[index];
      if (part === undefined) leave(from);
      else if (!reached[index]?.has(from)) {
        reached[index]?.add(from);
        this.#follow(part, from, (to) => step(index + 1, to));
      }
    };
    step(0, state);
  }

  /** Ignores counts: each iteration is followed from wherever the previous one may end. */
  #followRepeat(
    { of, min, max }: Extract<GrammarNode, { type: "repeat" }>,
    state: Expression,
    leave: (exit: Expression) => void,
  ): void {
    if (min === 0) leave(state);
    const reached = new Set<Expression>();
    const followAgain = (from: Expression): void => {
      if (reached.has(from)) return;
      reached.add(from);
      this.#follow(of, from, (to) => {
        leave(to);
        if (max === undefined || max > 1) followAgain(to);
      });
    };
    if (max !== 0) followAgain(state);
  }

  /** Walks through a regular part in parallel with the language that must not be left. */
  #followRegular(language: Expression, state: Expression, leave: (exit: Expression) => void): void {
    const known = new Map<string, Pair>();
    const pairOf = (partState: Expression, languageState: Expression): Pair => {
      const key = `${partState.id}:${languageState.id}`;
      let pair = known.get(key);
      if (pair === undefined) {
        pair = { partState, state: languageState, before: [], hasEnd: false };
        known.set(key, pair);
      }
      return pair;
    };
    pairOf(language, state);
    for (const pair of known.values()) {
      if (isNullable(pair.partState)) leave(pair.state);
      for (const next of this.#listNext(pair)) pairOf(next.partState, next.state).before.push(pair);
    }
    const ends = [...known.values()].filter(({ partState }) => isNullable(partState));
    for (let pair = ends.pop(); pair !== undefined; pair = ends.pop()) {
      if (pair.hasEnd) continue;
      pair.hasEnd = true;
      ends.push(...pair.before);
    }
    if ([...known.values()].some(({ hasEnd }) => !hasEnd)) this.#isStuck = true;
  }

  #listNext({ partState, state }: Pair): readonly Pick<Pair, "partState" | "state">[] {
    const { nothing } = this.#store;
    const bytes = byteRepresentatives(this.#store, this.#store.intersection([partState, state]));
    this.#store.meter.spend(bytes.length);
    return bytes
      .map((byte) => ({
        partState: derivative(this.#store, partState, byte),
        state: derivative(this.#store, state, byte),
      }))
      .filter((next) => next.partState !== nothing && next.state !== nothing);
  }
}
