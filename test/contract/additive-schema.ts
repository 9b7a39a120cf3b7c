/**
 * Whether a JSON schema (2020-12, as OpenAPI 3.1 has it) changed in a way that breaks a client. What
 * cannot be judged counts as breaking: rather one question too many.
 */

import { isDeepStrictEqual } from "node:util";

/** Who writes what a schema describes: the client (it may widen), or the server (it may narrow). */
export type Direction = "request" | "response";

/** A schema, or what else a document holds. */
export type Node = Readonly<Record<string, unknown>>;

/** One schema of each document, at the same place. */
export interface SchemaPair {
  readonly before: unknown;
  readonly after: unknown;
}

export interface SchemaComparison extends SchemaPair {
  readonly direction: Direction;
  /** Where in the value, such as `data[].title`; empty for the whole. */
  readonly at: string;
  /** What a `$ref` of either document stands for. */
  readonly resolve: { readonly before: Resolve; readonly after: Resolve };
  /** Pairs of references that are being compared further up: schemas may contain themselves. */
  readonly ancestors?: readonly string[];
}

export type Resolve = (reference: string) => unknown;

/** A rule looks at some keywords, and says what of their change breaks a client. */
type Rule = (
  schemas: { readonly before: Node; readonly after: Node },
  comparison: SchemaComparison,
) => string[];

const allTypes = ["array", "boolean", "null", "number", "object", "string"];

/** @returns what breaks a client, a sentence each; none: the change only adds. */
export function schemaBreaks(comparison: SchemaComparison): string[] {
  const { before, after, resolve, ancestors = [] } = comparison;
  const references = [referenceOf(before), referenceOf(after)];
  const pair = references.join("\n");
  if (ancestors.includes(pair)) return [];
  // What is written out on one side ends there, and with it the comparison.
  const inner = references.includes("")
    ? comparison
    : { ...comparison, ancestors: [...ancestors, pair] };
  const schemas = {
    before: toNode(before, resolve.before),
    after: toNode(after, resolve.after),
  };
  // Without this, the items of the items of a schema that has none would be asked for, for ever.
  if (isAnything(schemas.before) && isAnything(schemas.after)) return [];
  if (isNever(schemas.before) || isNever(schemas.after)) return neverBreaks(schemas, inner);
  return rules.flatMap((rule) => rule(schemas, inner));
}

function referenceOf(schema: unknown): string {
  return isNode(schema) && typeof schema.$ref === "string" ? schema.$ref : "";
}

/** A schema without its reference, and in its object form: `true` is `{}`, `false` is `{not: {}}`. */
function toNode(schema: unknown, resolve: Resolve): Node {
  if (schema === false) return { not: {} };
  if (!isNode(schema)) return {};
  if (typeof schema.$ref !== "string") return schema;
  const { $ref, ...siblings } = schema;
  return { ...toNode(resolve($ref), resolve), ...siblings };
}

function isAnything(schema: Node): boolean {
  return Object.keys(schema).length === 0;
}

function isNever({ not, ...rest }: Node): boolean {
  return isNode(not) && Object.keys(not).length === 0 && Object.keys(rest).length === 0;
}

/** Nothing may be sent any more, or anything may come where nothing came. */
function neverBreaks(
  { before, after }: { readonly before: Node; readonly after: Node },
  { direction, at }: SchemaComparison,
): string[] {
  if (isNever(before) && isNever(after)) return [];
  if (direction === "request")
    return isNever(after) ? [`${named(at)} is not allowed any more`] : [];
  return isNever(before) ? [`${named(at)} may be there now`] : [];
}

/** The side that may not allow more than the other one: what clients send, or what they read. */
function narrowAndWide<Value>(direction: Direction, before: Value, after: Value): [Value, Value] {
  return direction === "request" ? [before, after] : [after, before];
}

const typesRule: Rule = ({ before, after }, { direction, at, resolve }) => {
  const types = { before: typesOf(before, resolve.before), after: typesOf(after, resolve.after) };
  const [narrow, wide] = narrowAndWide(direction, types.before, types.after);
  if (
    narrow.every((type) => wide.includes(type) || (type === "integer" && wide.includes("number")))
  ) {
    return [];
  }
  const verb = direction === "request" ? "narrowed" : "widened";
  return [
    `the type of ${named(at)} was ${verb} from ${types.before.join(" or ")} to ${types.after.join(" or ")}`,
  ];
};

function typesOf(schema: Node, resolve: Resolve): readonly string[] {
  if (schema.type !== undefined) return [schema.type].flat().map(String);
  const alternatives = unionOf(schema);
  if (alternatives === undefined) {
    const values = valuesOf(schema);
    return values === undefined ? allTypes : [...new Set(values.map(typeOfValue))];
  }
  return [
    ...new Set(
      alternatives.flatMap((alternative) => typesOf(toNode(alternative, resolve), resolve)),
    ),
  ];
}

function typeOfValue(json: string): string {
  const value: unknown = JSON.parse(json);
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

const valuesRule: Rule = ({ before, after }, { direction, at }) => {
  const values = { before: valuesOf(before), after: valuesOf(after) };
  const [narrow, wide] = narrowAndWide(direction, values.before, values.after);
  if (wide === undefined) return [];
  if (narrow === undefined) {
    const verb = direction === "request" ? "was restricted to" : "is not restricted any more to";
    return [`${named(at)} ${verb} ${wide.join(", ")}`];
  }
  const verb = direction === "request" ? "takes no longer" : "may now be";
  return narrow
    .filter((value) => !wide.includes(value))
    .map((value) => `${named(at)} ${verb} ${value}`);
};

/** The JSON of each value that `enum` and `const` allow; undefined: any. */
function valuesOf({ enum: listed, const: only }: Node): readonly string[] | undefined {
  if (only !== undefined) return [JSON.stringify(only)];
  return Array.isArray(listed) ? listed.map((value) => JSON.stringify(value)) : undefined;
}

/** Bounds by keyword: which side of the value they are, and whether they belong to it. */
const bounds = {
  minimum: "lower",
  minLength: "lower",
  minItems: "lower",
  minProperties: "lower",
  exclusiveMinimum: "lower",
  maximum: "upper",
  maxLength: "upper",
  maxItems: "upper",
  maxProperties: "upper",
  exclusiveMaximum: "upper",
} as const;

const boundsRule: Rule = ({ before, after }, { direction, at }) =>
  Object.entries(bounds).flatMap(([keyword, side]) => {
    const sign = side === "lower" ? 1 : -1;
    const strictness = (schema: Node) =>
      typeof schema[keyword] === "number" ? sign * schema[keyword] : Number.NEGATIVE_INFINITY;
    const [narrow, wide] = narrowAndWide(direction, strictness(before), strictness(after));
    if (narrow >= wide) return [];
    const [from, to] = [before, after].map((schema) => schema[keyword] ?? "none");
    return [`${keyword} of ${named(at)} went from ${from} to ${to}`];
  });

/** Restrictions that are compared as they stand: one the same, or one less for who writes. */
const restrictions = [
  "allOf",
  "contains",
  "contentEncoding",
  "contentMediaType",
  "contentSchema",
  "dependentRequired",
  "dependentSchemas",
  "else",
  "format",
  "if",
  "maxContains",
  "minContains",
  "multipleOf",
  "not",
  "pattern",
  "patternProperties",
  "prefixItems",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
  "uniqueItems",
];

const restrictionsRule: Rule = ({ before, after }, { direction, at }) =>
  restrictions.flatMap((keyword) => {
    const [narrow, wide] = narrowAndWide(direction, before[keyword], after[keyword]);
    if (wide === undefined || wide === false || same(narrow, wide)) return [];
    const change =
      before[keyword] === undefined
        ? "was added"
        : after[keyword] === undefined
          ? "was removed"
          : "was changed";
    return [`${keyword} of ${named(at)} ${change}`];
  });

/** What happens when a client says nothing is part of what its requests mean. */
const defaultRule: Rule = ({ before, after }, { direction, at }) =>
  direction === "request" && before.default !== undefined && !same(before.default, after.default)
    ? [
        `the default of ${named(at)} went from ${JSON.stringify(before.default)} to ${JSON.stringify(after.default) ?? "none"}`,
      ]
    : [];

const itemsRule: Rule = ({ before, after }, comparison) =>
  schemaBreaks({
    ...comparison,
    before: before.items,
    after: after.items,
    at: `${comparison.at}[]`,
  });

const propertiesRule: Rule = ({ before, after }, comparison) => {
  const { direction, at } = comparison;
  const properties = { before: propertiesOf(before), after: propertiesOf(after) };
  return Object.entries(properties.before).flatMap(([name, schema]) => {
    const path = at === "" ? name : `${at}.${name}`;
    if (name in properties.after) {
      return schemaBreaks({
        ...comparison,
        before: schema,
        after: properties.after[name],
        at: path,
      });
    }
    // A request's property may be replaced by a schema for all others that takes it too.
    const others = after.additionalProperties;
    if (direction === "request" && isNode(others) && Object.keys(others).length > 0) {
      return schemaBreaks({ ...comparison, before: schema, after: others, at: path });
    }
    return [`${named(path)} was removed`];
  });
};

const requiredRule: Rule = ({ before, after }, { direction, at }) => {
  const required = { before: namesOf(before.required), after: namesOf(after.required) };
  const path = (name: string) => named(at === "" ? name : `${at}.${name}`);
  if (direction === "request") {
    const added = required.after.filter((name) => !required.before.includes(name));
    return added.map((name) => `${path(name)} became required`);
  }
  const present = propertiesOf(after);
  const lost = required.before.filter((name) => !required.after.includes(name));
  // One that is gone altogether is told once, as removed.
  const told = (name: string) => name in propertiesOf(before) && !(name in present);
  return lost.filter((name) => !told(name)).map((name) => `${path(name)} is no longer required`);
};

/** Properties beyond the listed ones: closing them breaks who sends some, opening who reads all. */
const additionalPropertiesRule: Rule = ({ before, after }, comparison) => {
  const path = comparison.at === "" ? "*" : `${comparison.at}.*`;
  const pair = { before: before.additionalProperties, after: after.additionalProperties };
  return schemaBreaks({ ...comparison, ...pair, at: path });
};

const propertyNamesRule: Rule = ({ before, after }, comparison) =>
  schemaBreaks({
    ...comparison,
    before: before.propertyNames,
    after: after.propertyNames,
    at: `${comparison.at}(names)`,
  });

/** Each alternative of who writes has to be one of those that the other side expects. */
const unionRule: Rule = ({ before, after }, comparison) => {
  const { direction, at, resolve } = comparison;
  if (unionOf(before) === undefined && unionOf(after) === undefined) return [];
  const [narrow, wide] = narrowAndWide(
    direction,
    alternativesOf(before, resolve.before),
    alternativesOf(after, resolve.after),
  );
  const unmatched = narrow.filter((written) =>
    wide.every((expected) => {
      const [old, now] = narrowAndWide(direction, written.schema, expected.schema);
      return schemaBreaks({ ...comparison, before: old, after: now }).length > 0;
    }),
  );
  const verb = direction === "request" ? "takes no longer" : "may now be";
  return unmatched.map(({ name }) => `${named(at)} ${verb} ${name}`);
};

interface Alternative {
  readonly name: string;
  readonly schema: Node;
}

/** A union's alternatives, each with what holds for all of them; a schema without is its only one. */
function alternativesOf(schema: Node, resolve: Resolve): readonly Alternative[] {
  const { anyOf, oneOf, ...common } = schema;
  return (unionOf(schema) ?? [{}]).map((alternative) => ({
    name: referenceOf(alternative).replace(/^.*\//, "") || JSON.stringify(alternative),
    schema: { ...common, ...toNode(alternative, resolve) },
  }));
}

function unionOf({ anyOf, oneOf }: Node): readonly unknown[] | undefined {
  const alternatives = anyOf ?? oneOf;
  return Array.isArray(alternatives) ? alternatives : undefined;
}

/** Keywords that a rule knows, and those that restrict nothing. */
const known = new Set([
  ...Object.keys(bounds),
  ...restrictions,
  ...["$ref", "$comment", "additionalProperties", "anyOf", "const", "default", "deprecated"],
  ...["description", "discriminator", "enum", "example", "examples", "externalDocs", "items"],
  ...["oneOf", "properties", "propertyNames", "readOnly", "required", "title", "type"],
  ...["writeOnly", "xml"],
]);

const unknownKeywordsRule: Rule = ({ before, after }, { at }) =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((keyword) => !known.has(keyword) && !keyword.startsWith("x-"))
    .filter((keyword) => !same(before[keyword], after[keyword]))
    .map((keyword) => `${keyword} of ${named(at)} was changed`);

const rules: readonly Rule[] = [
  typesRule,
  valuesRule,
  boundsRule,
  restrictionsRule,
  defaultRule,
  itemsRule,
  propertiesRule,
  requiredRule,
  additionalPropertiesRule,
  propertyNamesRule,
  unionRule,
  unknownKeywordsRule,
];

function propertiesOf({ properties }: Node): Node {
  return isNode(properties) ? properties : {};
}

function namesOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function named(at: string): string {
  return at === "" ? "the value" : `property ${at}`;
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether two JSON values are the same, whatever the order of keys. */
export function same(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(one, other);
}
