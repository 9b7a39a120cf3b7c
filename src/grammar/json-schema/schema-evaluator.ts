import { UnsupportedGrammar } from "../errors.js";
import type { ExpressionStore } from "../language/expression-store.js";
import { parseArrayKeywords } from "./array-keywords.js";
import { checkKeywords, expectArray, expectObject } from "./keyword-checks.js";
import { parseNumberKeywords } from "./number-keywords.js";
import { parseDependencies, parseObjectKeywords } from "./object-keywords.js";
import { isJsonObject, SchemaDocument, type SchemaPlace } from "./schema-document.js";
import type { SchemaRequirements } from "./schema-requirements.js";
import { parseStringKeywords } from "./string-keywords.js";
import { ValueAlgebra } from "./value-algebra.js";
import { buildLiteralValues, typesOf } from "./value-keywords.js";
import { ALL, NO_VALUES, type Requirement, type ValueSet } from "./value-set.js";

/** Origin of a requirement. */
type Source =
  | { readonly kind: "schema"; readonly place: SchemaPlace }
  | { readonly kind: "not"; readonly of: Requirement; readonly path: readonly string[] }
  | { readonly kind: "value"; readonly value: unknown };

/** Error for a schema whose values depend on themselves. */
class CircularSchema extends UnsupportedGrammar {
  constructor(path: readonly string[]) {
    super(path, "expected a schema without circular references");
  }
}

/** Cost of evaluating one requirement, in units of work. */
const STEP_COST = 20;

/** Maximum nesting of schemas that refer to each other for the same value. */
const MAX_DEPTH = 200;

/** Computes the values that satisfy schemas. */
export class SchemaEvaluator implements SchemaRequirements {
  readonly document: SchemaDocument;
  readonly algebra: ValueAlgebra;
  readonly #store: ExpressionStore;
  readonly #sources: Source[] = [];
  readonly #ids = new Map<unknown, number>();
  readonly #values = new Map<string, ValueSet | "in-progress">();
  readonly #none: Requirement;
  readonly #emptinessByKey = new Map<string, boolean>();
  #depth = 0;

  constructor(store: ExpressionStore, schema: unknown) {
    this.#store = store;
    this.document = new SchemaDocument(schema);
    this.#none = [
      this.#register(false, {
        kind: "schema",
        place: { ...this.document.root, schema: false, path: [] },
      }),
    ];
    this.algebra = new ValueAlgebra(store, {
      none: this.#none,
      negate: (requirement) => this.negate(requirement),
      isEmpty: (requirement) => this.isEmpty(requirement),
    });
  }

  /** Requirement that no value satisfies. */
  get none(): Requirement {
    return this.#none;
  }

  /** Returns the requirement of a schema. */
  requirementOf(place: SchemaPlace): Requirement {
    const { schema } = place;
    if (schema === true) return [];
    if (schema === false) return this.#none;
    if (!isJsonObject(schema)) {
      throw new UnsupportedGrammar(place.path, `expected a schema, got ${JSON.stringify(schema)}`);
    }
    if (Object.keys(schema).length === 0) return [];
    return [this.#register(schema, { kind: "schema", place })];
  }

  /** Returns the requirement of a subschema. */
  requirementBelow(place: SchemaPlace, steps: readonly string[], schema: unknown): Requirement {
    return this.requirementOf(this.document.placeBelow(place, steps, schema));
  }

  /** Returns the requirement that a value equals the given one. */
  requirementOfValue(value: unknown): Requirement {
    return [this.#register(`=${JSON.stringify(value)}`, { kind: "value", value })];
  }

  /** Returns the requirement of the values that do not satisfy another one. */
  negate(requirement: Requirement, path: readonly string[] = []): Requirement {
    if (requirement.length === 0) return this.#none;
    if (requirement === this.#none) return [];
    const [only = -1, ...others] = requirement;
    const source = this.#sources[only];
    if (others.length === 0) {
      if (source?.kind === "not") return source.of;
      const inner = source?.kind === "schema" ? soleNot(source.place) : undefined;
      if (inner !== undefined && source?.kind === "schema") {
        return this.requirementBelow(source.place, ["not"], inner.not);
      }
    }
    return [this.#register(`!${requirement.join()}`, { kind: "not", of: requirement, path })];
  }

  /**
   * Whether no value satisfies a requirement; a requirement that is still being evaluated counts as
   * satisfiable.
   */
  isEmpty(requirement: Requirement): boolean {
    if (requirement.length === 0) return false;
    if (requirement === this.#none) return true;
    const key = requirement.join();
    const known = this.#emptinessByKey.get(key);
    if (known !== undefined) return known;
    try {
      const isEmpty = this.algebra.isEmpty(this.evaluate(requirement));
      this.#emptinessByKey.set(key, isEmpty);
      return isEmpty;
    } catch (error) {
      if (error instanceof CircularSchema) return false;
      throw error;
    }
  }

  /**
   * Returns the values that satisfy a requirement.
   * @throws {UnsupportedGrammar}
   * @throws {WorkLimitExceeded}
   */
  evaluate(requirement: Requirement): ValueSet {
    const key = requirement.join();
    const known = this.#values.get(key);
    if (known === "in-progress") {
      throw new CircularSchema(this.pathOf(requirement));
    }
    if (known !== undefined) return known;
    if (this.#depth === MAX_DEPTH) {
      const reason = `expected at most ${MAX_DEPTH} nested references, got more`;
      throw new UnsupportedGrammar(this.pathOf(requirement), reason);
    }
    this.#store.meter.spend(STEP_COST);
    this.#values.set(key, "in-progress");
    this.#depth++;
    try {
      const [first, ...others] = requirement;
      const values =
        others.length === 0
          ? first === undefined
            ? ALL
            : this.#evaluateSource(first)
          : this.#evaluateAll(requirement);
      this.#values.set(key, values);
      return values;
    } catch (error) {
      this.#values.delete(key);
      throw error;
    } finally {
      this.#depth--;
    }
  }

  /**
   * Returns the values that satisfy several schemas. Reuses the result without the last schema,
   * which is usually known.
   */
  #evaluateAll(requirement: Requirement): ValueSet {
    const [last, before] = [requirement.slice(-1), requirement.slice(0, -1)];
    const known = this.#values.get(before.join());
    if (known !== undefined && known !== "in-progress") {
      return this.algebra.intersection(known, this.evaluate(last));
    }
    return requirement
      .map((id) => this.evaluate([id]))
      .reduce((common, next) => this.algebra.intersection(common, next));
  }

  /** Returns the path of a requirement in the document. */
  pathOf([first]: Requirement): readonly string[] {
    const source = first === undefined ? undefined : this.#sources[first];
    if (source === undefined || source.kind === "value") return [];
    return source.kind === "schema" ? source.place.path : source.path;
  }

  #register(key: unknown, source: Source): number {
    let id = this.#ids.get(key);
    if (id === undefined) {
      id = this.#sources.push(source) - 1;
      this.#ids.set(key, id);
    }
    return id;
  }

  #evaluateSource(id: number): ValueSet {
    const source = this.#sources[id];
    switch (source?.kind) {
      case "value":
        return buildLiteralValues(this, [source.value]);
      case "not": {
        const complementValues = this.algebra.complement(this.evaluate(source.of));
        if (complementValues !== undefined) return complementValues;
        throw new UnsupportedGrammar(
          source.path.length > 0 ? source.path : this.pathOf(source.of),
          "the negation of this schema is not supported",
        );
      }
      case "schema":
        return source.place.schema === false ? NO_VALUES : this.#evaluateSchema(source.place);
      case undefined:
        throw new RangeError(`there is no schema ${id}`);
    }
  }

  #evaluateSchema(place: SchemaPlace): ValueSet {
    const { algebra, document } = this;
    const schema = document.keywordsOf(expectObject(place));
    const reference = schema["$ref"];
    if (reference !== undefined && document.draft.refSiblings === "ignored") {
      return this.#evaluateReference(place, reference);
    }
    checkKeywords(place, schema);
    const types = typesOf(place, schema);
    let values = algebra.intersection(types, {
      literals: ALL.literals,
      numbers: parseNumberKeywords(place, schema),
      strings: parseStringKeywords(place, schema, algebra.languages),
      arrays: parseArrayKeywords(this, place, schema),
      objects: parseObjectKeywords(this, place, schema),
    });
    const narrow = (other: ValueSet) => {
      values = algebra.intersection(values, other);
    };
    if (schema["enum"] !== undefined) {
      narrow(buildLiteralValues(this, expectArray(place, "enum", schema["enum"])));
    }
    if ("const" in schema) narrow(buildLiteralValues(this, [schema["const"]]));
    if (reference !== undefined) narrow(this.#evaluateReference(place, reference));
    for (const part of this.#subschemas(place, schema, "allOf")) narrow(this.evaluate(part));
    if (schema["anyOf"] !== undefined) {
      narrow(
        algebra.union(this.#subschemas(place, schema, "anyOf").map((part) => this.evaluate(part))),
      );
    }
    if (schema["oneOf"] !== undefined) {
      narrow(this.#evaluateExclusive(place, this.#subschemas(place, schema, "oneOf"), values));
    }
    if (schema["not"] !== undefined) {
      const path = [...place.path, "not"];
      const excluded = this.requirementBelow(place, ["not"], schema["not"]);
      narrow(this.evaluate(this.negate(excluded, path)));
    }
    if (schema["if"] !== undefined) narrow(this.#evaluateConditional(place, schema));
    for (const dependency of parseDependencies(this, place, schema)) narrow(dependency);
    return values;
  }

  #evaluateReference(place: SchemaPlace, reference: unknown): ValueSet {
    if (typeof reference !== "string") {
      throw new UnsupportedGrammar([...place.path, "$ref"], "expected a string");
    }
    return this.evaluate(this.requirementOf(this.document.resolve(place, reference)));
  }

  #subschemas(
    place: SchemaPlace,
    schema: Readonly<Record<string, unknown>>,
    keyword: string,
  ): readonly Requirement[] {
    const list = schema[keyword];
    if (list === undefined) return [];
    return expectArray(place, keyword, list).map((part, index) =>
      this.requirementBelow(place, [keyword, String(index)], part),
    );
  }

  /** Returns the values, among those given, that satisfy exactly one of some schemas. */
  #evaluateExclusive(
    place: SchemaPlace,
    parts: readonly Requirement[],
    within: ValueSet,
  ): ValueSet {
    const { algebra } = this;
    const branches = parts.map((part) => algebra.intersection(within, this.evaluate(part)));
    const exclusive = branches.map((branch, index) => {
      let remaining = branch;
      for (const [other, overlapping] of branches.entries()) {
        if (other === index || algebra.isEmpty(algebra.intersection(remaining, overlapping)))
          continue;
        const part = parts[other] ?? [];
        const path = [...place.path, "oneOf", String(other)];
        remaining = algebra.intersection(remaining, this.evaluate(this.negate(part, path)));
      }
      return remaining;
    });
    return algebra.union(exclusive);
  }

  #evaluateConditional(place: SchemaPlace, schema: Readonly<Record<string, unknown>>): ValueSet {
    const { algebra } = this;
    const condition = this.requirementBelow(place, ["if"], schema["if"]);
    const branch = (keyword: "then" | "else") =>
      schema[keyword] === undefined ? [] : this.requirementBelow(place, [keyword], schema[keyword]);
    const otherwise = this.negate(condition, [...place.path, "if"]);
    return algebra.union([
      this.evaluate(algebra.combineRequirements(condition, branch("then"))),
      this.evaluate(algebra.combineRequirements(otherwise, branch("else"))),
    ]);
  }
}

/** Returns the `not` of a schema that has no other keyword. */
function soleNot({ schema }: SchemaPlace): { readonly not: unknown } | undefined {
  const isSole = isJsonObject(schema) && "not" in schema && Object.keys(schema).length === 1;
  return isSole ? { not: schema["not"] } : undefined;
}
