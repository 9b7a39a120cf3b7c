import { z } from "zod";

type Schema = z.core.$ZodType;

/** The types of JSON values. */
export const JSON_TYPES = ["null", "boolean", "number", "string", "array", "object"] as const;
export type JsonType = (typeof JSON_TYPES)[number];

/** Description of a client's input value by its schema. */
export type Described =
  | {
      readonly type: "string";
      readonly min: number;
      readonly max: number | undefined;
      readonly pattern: RegExp | undefined;
    }
  | {
      readonly type: "number";
      readonly min: number;
      readonly max: number;
      readonly integer: boolean;
    }
  | { readonly type: "boolean" | "any" | "none" }
  | { readonly type: "words"; readonly words: readonly (string | number | boolean | null)[] }
  | {
      readonly type: "array";
      readonly item: RequestNode;
      readonly min: number;
      readonly max: number | undefined;
    }
  | {
      readonly type: "object";
      readonly fields: ReadonlyMap<string, RequestNode>;
      readonly unknownFields: "ignored" | "refused";
    }
  | { readonly type: "tuple"; readonly items: readonly RequestNode[] }
  | { readonly type: "record"; readonly key: RequestNode; readonly value: RequestNode }
  | {
      readonly type: "union";
      readonly options: readonly RequestNode[];
      /** Field that distinguishes the options. */
      readonly discriminator: string | undefined;
    };

/** Node of a request, as described by its schema. */
export interface RequestNode {
  readonly described: Described;
  /** Whether a custom function restricts the value: `refine`. */
  readonly refinement: "none" | "custom";
  /** Whether the schema accepts a value here; `undefined` stands for an absent field. */
  readonly accepts: (value: unknown) => boolean;
}

/**
 * Reads what a Zod schema accepts, before its transformations.
 * @throws {Error} for a kind of schema or check that no request has had so far
 */
export function requestNodeOf(schema: Schema): RequestNode {
  return {
    described: describedBy(schema),
    refinement: isRefined(schema) ? "custom" : "none",
    accepts: (value) => z.safeParse(schema, value).success,
  };
}

function describedBy(schema: Schema): Described {
  const { def } = knownSchema(schema)._zod;
  switch (def.type) {
    case "optional":
    case "default":
    case "nullable":
      return describedBy(def.innerType);
    case "pipe":
      return describedBy(def.in);
    case "string":
      return { type: "string", ...lengthsOf(schema), pattern: patternOf(schema) };
    case "number":
      return { type: "number", ...rangeOf(schema), integer: "format" in def };
    case "boolean":
      return { type: "boolean" };
    case "never":
      return { type: "none" };
    case "unknown":
      return { type: "any" };
    case "literal":
      return { type: "words", words: def.values.map(toWord) };
    case "enum":
      return { type: "words", words: Object.values(def.entries) };
    case "array":
      return { type: "array", item: requestNodeOf(def.element), ...lengthsOf(schema) };
    case "tuple":
      if (def.rest !== null) throw new Error("no values are generated for the rest of a tuple yet");
      return { type: "tuple", items: def.items.map(requestNodeOf) };
    case "object":
      return {
        type: "object",
        fields: new Map(
          Object.entries(def.shape).map(([name, field]) => [name, requestNodeOf(field)]),
        ),
        unknownFields: def.catchall?._zod.def.type === "never" ? "refused" : "ignored",
      };
    case "record":
      return {
        type: "record",
        key: requestNodeOf(def.keyType),
        value: requestNodeOf(def.valueType),
      };
    case "union":
      return {
        type: "union",
        options: def.options.map(requestNodeOf),
        discriminator: "discriminator" in def ? String(def.discriminator) : undefined,
      };
    default:
      throw new Error(`no values are generated for a schema of the kind ${def.type} yet`);
  }
}

/** Narrows a schema by Zod's own type field. */
function knownSchema(schema: Schema): z.core.$ZodTypes {
  return schema as z.core.$ZodTypes;
}

function isRefined(schema: Schema): boolean {
  if (schema._zod.def.checks?.some((check) => check._zod.def.check === "custom")) return true;
  const { def } = knownSchema(schema)._zod;
  if (def.type === "pipe") return isRefined(def.in);
  return "innerType" in def && isRefined(def.innerType);
}

function toWord(value: unknown): string | number | boolean | null {
  if (value === null || ["string", "number", "boolean"].includes(typeof value)) {
    return value as string | number | boolean | null;
  }
  throw new Error(`${String(value)} is no JSON`);
}

/** The definitions of a schema's checks. */
function checksOf(schema: Schema) {
  return (schema._zod.def.checks ?? []).map((check) => (check as z.core.$ZodChecks)._zod.def);
}

function lengthsOf(schema: Schema): { readonly min: number; readonly max: number | undefined } {
  let min = 0;
  let max: number | undefined;
  for (const check of checksOf(schema)) {
    if (check.check === "min_length") min = Math.max(min, check.minimum);
    if (check.check === "max_length") max = Math.min(max ?? check.maximum, check.maximum);
  }
  return { min, max };
}

function rangeOf(schema: Schema): { readonly min: number; readonly max: number } {
  let min = Number.NEGATIVE_INFINITY;
  let max = Number.POSITIVE_INFINITY;
  for (const check of checksOf(schema)) {
    if (check.check !== "greater_than" && check.check !== "less_than") continue;
    const bound = Number(check.value);
    if (check.check === "less_than") max = Math.min(max, check.inclusive ? bound : bound - 1);
    else min = Math.max(min, check.inclusive ? bound : bound + 1);
  }
  return { min, max };
}

function patternOf(schema: Schema): RegExp | undefined {
  const patterns = checksOf(schema).flatMap((check) =>
    check.check === "string_format" && check.pattern ? [check.pattern] : [],
  );
  if (patterns.length > 1) throw new Error("no values are generated for two patterns yet");
  return patterns[0];
}

/** Superset of the JSON types that a node accepts. */
export function acceptedTypes(node: RequestNode): ReadonlySet<JsonType> {
  const types = new Set(typesOf(node.described));
  if (node.accepts(null)) types.add("null");
  return types;
}

function typesOf(described: Described): readonly JsonType[] {
  switch (described.type) {
    case "any":
      return JSON_TYPES;
    case "none":
      return [];
    case "words":
      return described.words.map(jsonTypeOf);
    case "record":
      return ["object"];
    case "tuple":
      return ["array"];
    case "union":
      return described.options.flatMap((option) => [...acceptedTypes(option)]);
    default:
      return [described.type];
  }
}

export function jsonTypeOf(value: unknown): JsonType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  if (type === "boolean" || type === "number" || type === "string" || type === "object") {
    return type;
  }
  throw new Error(`${type} is no JSON`);
}

/** The names of a request's fields. */
export function fieldsOf({ described }: RequestNode): readonly string[] {
  if (described.type !== "object") throw new Error("a request is an object");
  return [...described.fields.keys()];
}
