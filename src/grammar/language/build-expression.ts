import assert from "node:assert/strict";
import type { Grammar, GrammarNode, Trigger } from "../grammar.js";
import { characterExpression } from "./character-expression.js";
import type { Expression } from "./expression.js";
import type { ExpressionStore } from "./expression-store.js";
import { membersExpression } from "./members-expression.js";
import { TriggerScan } from "./trigger-scan.js";

/** Finds a control token by its text; `undefined` if the model has no such token. */
export type FindControlToken = (text: string) => number | undefined;

/** Builds the expressions of a grammar; rules are built on demand. */
export class ExpressionBuilder {
  readonly store: ExpressionStore;
  readonly #grammar: Grammar;
  readonly #findControlToken: FindControlToken;
  readonly #cache = new Map<GrammarNode, Expression>();

  constructor(store: ExpressionStore, grammar: Grammar, findControlToken: FindControlToken) {
    this.store = store;
    this.#grammar = grammar;
    this.#findControlToken = findControlToken;
  }

  /** Builds the expression of the whole grammar. */
  buildRoot(): Expression {
    return this.build(this.#grammar.root);
  }

  build(node: GrammarNode): Expression {
    let built = this.#cache.get(node);
    if (built === undefined) {
      built = this.#construct(node);
      this.#cache.set(node, built);
    }
    return built;
  }

  #construct(node: GrammarNode): Expression {
    const { store } = this;
    switch (node.type) {
      case "words":
        return store.words(node.words);
      case "character":
        return characterExpression(store, node);
      case "control-token": {
        const token = this.#findControlToken(node.text);
        return token === undefined ? store.words([node.text]) : store.controlToken(token);
      }
      case "sequence":
        return store.sequenceOf(node.parts.map((part) => this.build(part)));
      case "choice":
        return store.choice(node.options.map((option) => this.build(option)));
      case "repeat": {
        const { of, min, max = Number.POSITIVE_INFINITY } = node;
        assert(min >= 0 && min <= max, `${min} to ${max} repetitions`);
        return store.repeat(this.build(of), min, max);
      }
      case "intersection":
        return store.intersection(node.parts.map((part) => this.build(part)));
      case "complement":
        return store.complement(this.build(node.of));
      case "multiple":
        assert(
          Number.isSafeInteger(node.divisor * 10) && node.divisor > 0,
          "the divisor is out of range",
        );
        return store.multiple(node.divisor, 0);
      case "lexeme":
        return store.lexeme(this.build(node.of));
      case "until":
        return store.scan(this.#scanFor(node.ends), 0, "with-trigger");
      case "without":
        return store.scan(this.#scanFor(node.ends), 0, "before-trigger");
      case "members":
        return membersExpression(store, node, (part) => this.build(part));
      case "rule": {
        const rule = this.#grammar.rules[node.name];
        assert(rule !== undefined, `the grammar has no rule ${node.name}`);
        return store.rule(rule, "", () => this.build(rule));
      }
    }
  }

  #scanFor(ends: readonly Trigger[]): TriggerScan {
    const texts: Uint8Array[] = [];
    const tokens = new Set<number>();
    for (const { type, text } of ends) {
      const token = type === "control-token" ? this.#findControlToken(text) : undefined;
      if (token === undefined) texts.push(Buffer.from(text));
      else tokens.add(token);
    }
    return new TriggerScan(texts, tokens);
  }
}
