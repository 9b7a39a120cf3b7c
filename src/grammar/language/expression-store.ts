import { BytePartitions, type ByteSet, ByteSets, pairKey } from "./byte-sets.js";
import { Expression, type Form, type WordList, type WordRange } from "./expression.js";
import type { TriggerScan } from "./trigger-scan.js";
import { WorkMeter } from "./work-limit.js";

/** Memory of an expression, its key and its cached results; measured with many schemas. */
const EXPRESSION_BYTES = 500;
const REFERENCE_BYTES = 8;
const TABLE_BYTES = 256 * REFERENCE_BYTES;

/**
 * Creates expressions. Equal expressions are created once, and simplified so that a regular
 * language has finitely many derivatives (Owens, Reppy and Turon, _Regular-expression derivatives
 * re-examined_, 2009).
 */
export class ExpressionStore {
  readonly bytes = new ByteSets();
  readonly partitions = new BytePartitions();
  readonly meter = new WorkMeter();
  readonly #byPair = new Map<number, Expression>();
  readonly #byKey = new Map<string, Expression>();
  /** Choices by the ids of their options before merging, since merging is the slow part. */
  readonly #choices = new Map<string, Expression>();
  readonly #lists = new Map<string, WordList>();
  readonly #lexemes = new Map<number, Expression>();
  readonly #characters = new Map<string, Expression>();
  readonly #byScope = new WeakMap<object, Map<string, Expression>>();
  #size = 0;

  readonly nothing = this.#create({ kind: "nothing" });
  readonly empty = this.#create({ kind: "empty" });
  /** Any bytes. */
  readonly anything = this.repeat(this.byte(this.bytes.all), 0, Number.POSITIVE_INFINITY);

  /** Number of expressions created so far. */
  get size(): number {
    return this.#size;
  }

  byte(set: ByteSet): Expression {
    if (set === this.bytes.none) return this.nothing;
    return this.#getByKey(`b${set.id}`, { kind: "byte", set });
  }

  /** Matches one of several texts. */
  words(texts: readonly string[]): Expression {
    if (texts.length === 0) return this.nothing;
    const key = texts.length === 1 ? JSON.stringify(texts[0]) : JSON.stringify(texts.toSorted());
    let list = this.#lists.get(key);
    if (list === undefined) {
      const words = [...new Set(texts)].map((text) => Buffer.from(text)).sort(Buffer.compare);
      list = { id: this.#lists.size, words };
      this.#lists.set(key, list);
    }
    return this.wordsAfter({ list, from: 0, to: list.words.length, depth: 0 });
  }

  /** Matches the rests of some words after their common bytes. */
  wordsAfter(range: WordRange): Expression {
    const { list, from, to, depth } = range;
    if (from === to) return this.nothing;
    if (to - from === 1 && list.words[from]?.length === depth) return this.empty;
    return this.#getByKey(`w${list.id}:${from}:${to}:${depth}`, { kind: "words", ...range });
  }

  sequence(head: Expression, tail: Expression): Expression {
    if (head === this.nothing || tail === this.nothing) return this.nothing;
    if (head === this.empty) return tail;
    if (tail === this.empty) return head;
    if (head.form.kind === "sequence") {
      return this.sequence(head.form.head, this.sequence(head.form.tail, tail));
    }
    const key = pairKey(head.id, tail.id);
    return this.#getByPair(key, { kind: "sequence", head, tail });
  }

  sequenceOf(parts: readonly Expression[]): Expression {
    return parts.reduceRight((tail, head) => this.sequence(head, tail), this.empty);
  }

  choice(options: readonly Expression[]): Expression {
    this.meter.spend(options.length);
    const flat = new Set<Expression>();
    for (const option of options) {
      if (option.form.kind === "choice") {
        this.meter.spend(option.form.options.length);
        for (const inner of option.form.options) flat.add(inner);
      } else if (option !== this.nothing) flat.add(option);
    }
    if (flat.size <= 1) return [...flat][0] ?? this.nothing;
    if (flat.has(this.anything)) return this.anything;
    const sorted = [...flat].sort((a, b) => a.id - b.id);
    const key = sorted.map(({ id }) => id).join();
    let choice = this.#choices.get(key);
    if (choice === undefined) {
      this.meter.spend(sorted.length);
      this.meter.keep(key.length + sorted.length * REFERENCE_BYTES);
      choice = this.#mergeChoice(sorted);
      this.#choices.set(key, choice);
    }
    return choice;
  }

  /** @param max may be infinite */
  repeat(of: Expression, min: number, max: number): Expression {
    if (max === 0 || of === this.empty) return this.empty;
    if (of === this.nothing) return min === 0 ? this.empty : this.nothing;
    if (min === 1 && max === 1) return of;
    return this.#getByKey(`r${of.id}:${min}:${max}`, { kind: "repeat", of, min, max });
  }

  intersection(parts: readonly Expression[]): Expression {
    this.meter.spend(parts.length);
    const flat = new Set<Expression>();
    for (const part of parts) {
      if (part.form.kind === "intersection") for (const inner of part.form.parts) flat.add(inner);
      else flat.add(part);
    }
    if (flat.has(this.nothing)) return this.nothing;
    flat.delete(this.anything);
    if (flat.size <= 1) return [...flat][0] ?? this.anything;
    const sorted = [...flat].sort((a, b) => a.id - b.id);
    return this.#getByKey(`i${sorted.map(({ id }) => id).join()}`, {
      kind: "intersection",
      parts: sorted,
    });
  }

  complement(of: Expression): Expression {
    if (of.form.kind === "complement") return of.form.of;
    if (of === this.nothing) return this.anything;
    if (of === this.anything) return this.nothing;
    return this.#getByKey(`n${of.id}`, { kind: "complement", of });
  }

  multiple(divisor: number, remainder: number): Expression {
    return this.#getByKey(`m${divisor}:${remainder}`, { kind: "multiple", divisor, remainder });
  }

  lexeme(of: Expression): Expression {
    if (of === this.nothing || of === this.empty || of.form.kind === "lexeme") return of;
    let lexeme = this.#lexemes.get(of.id);
    if (lexeme === undefined) {
      lexeme = this.#create({ kind: "lexeme", of });
      this.#lexemes.set(of.id, lexeme);
    }
    return lexeme;
  }

  scan(scan: TriggerScan, state: number, ends: "with-trigger" | "before-trigger"): Expression {
    return this.#getByScope(scan, `${state}:${ends}`, () => ({ kind: "scan", scan, state, ends }));
  }

  controlToken(token: number): Expression {
    return this.#getByKey(`t${token}`, { kind: "control-token", token });
  }

  /** Returns the cached expression of a set of characters, building it if needed. */
  character(key: string, build: () => Expression): Expression {
    let character = this.#characters.get(key);
    if (character === undefined) {
      character = build();
      this.#characters.set(key, character);
    }
    return character;
  }

  /**
   * Returns a rule by its name within a scope; always the same object.
   * @param body called when the rule is first needed
   */
  rule(scope: object, name: string, body: () => Expression): Expression {
    let builtBody: Expression | undefined;
    return this.#getByScope(scope, name, () => ({
      kind: "rule",
      body: () => {
        builtBody ??= body();
        return builtBody;
      },
    }));
  }

  /** @param options at least two, in ascending id */
  #mergeChoice(options: readonly Expression[]): Expression {
    const merged = this.#mergeLexemes(this.#mergeTails(this.#mergeBytes(options)));
    const [only] = merged;
    if (merged.length === 1 && only !== undefined) return only;
    if (merged.length < options.length) return this.choice(merged);
    return this.#create({ kind: "choice", options });
  }

  #mergeBytes(options: readonly Expression[]): readonly Expression[] {
    let set = this.bytes.none;
    let count = 0;
    for (const { form } of options) {
      if (form.kind !== "byte") continue;
      set = this.bytes.union(set, form.set);
      count++;
    }
    if (count < 2) return options;
    return [...options.filter(({ form }) => form.kind !== "byte"), this.byte(set)];
  }

  /**
   * Rewrites `ax | bx` as `(a | b)x`; otherwise the states of ambiguous grammars would grow without
   * bound.
   */
  #mergeTails(options: readonly Expression[]): readonly Expression[] {
    const heads = new Map<Expression, Expression[]>();
    let count = 0;
    for (const { form } of options) {
      if (form.kind !== "sequence") continue;
      count++;
      const others = heads.get(form.tail);
      if (others === undefined) heads.set(form.tail, [form.head]);
      else others.push(form.head);
    }
    if (heads.size === count) return options;
    return [
      ...options.filter(({ form }) => form.kind !== "sequence"),
      ...[...heads].map(([tail, alternatives]) => this.sequence(this.choice(alternatives), tail)),
    ];
  }

  #mergeLexemes(options: readonly Expression[]): Expression[] {
    const inner = options.flatMap(({ form }) => (form.kind === "lexeme" ? [form.of] : []));
    if (inner.length < 2) return [...options];
    const others = options.filter(({ form }) => form.kind !== "lexeme");
    return [...others, this.lexeme(this.choice(inner))];
  }

  /** Creates a table for the derivatives of an expression by each byte. */
  createDerivativeTable(): (Expression | undefined)[] {
    this.meter.keep(TABLE_BYTES);
    return new Array<Expression | undefined>(256).fill(undefined);
  }

  #getByPair(key: number, form: Form): Expression {
    let expression = this.#byPair.get(key);
    if (expression === undefined) {
      expression = this.#create(form);
      this.#byPair.set(key, expression);
    }
    return expression;
  }

  #getByKey(key: string, form: Form): Expression {
    let expression = this.#byKey.get(key);
    if (expression === undefined) {
      this.meter.keep(key.length);
      expression = this.#create(form);
      this.#byKey.set(key, expression);
    }
    return expression;
  }

  #getByScope(scope: object, name: string, form: () => Form): Expression {
    let names = this.#byScope.get(scope);
    if (names === undefined) {
      names = new Map();
      this.#byScope.set(scope, names);
    }
    let expression = names.get(name);
    if (expression === undefined) {
      expression = this.#create(form());
      names.set(name, expression);
    }
    return expression;
  }

  #create(form: Form): Expression {
    this.meter.spend(1);
    this.meter.keep(EXPRESSION_BYTES);
    return new Expression(this.#size++, form);
  }
}
