import type { ToolDefinition } from "../../../core/generation-request.js";
import { isJsonObject } from "../../../core/json.js";
import type {
  JsonType,
  ReadableMember,
  ReadableTool,
  ReadableValue,
} from "../../../core/output-format.js";

const ALL_TYPES: readonly JsonType[] = ["string", "number", "boolean", "null", "object", "array"];
/** Maximum nesting of schemas, including references; deeper ones count as any type. */
const MAX_DEPTH = 64;
/** Maximum nesting of described values. */
const MAX_LEVELS = 6;
/** Maximum number of described values per tool. */
const MAX_VALUES = 2_000;

type Schema = Readonly<Record<string, unknown>>;

/** Describes a tool for the output parser, from the schema of its parameters. */
export function toReadableTool({ name, parameters = {} }: ToolDefinition): ReadableTool {
  return { name, parameters: new SchemaValues(parameters).membersOf([parameters], 0) };
}

/** Collects what is known about the values of schemas, as an upper bound. */
class SchemaValues {
  readonly #root: Schema;
  readonly #types: SchemaTypes;
  #remainingValues = MAX_VALUES;

  constructor(root: Schema) {
    this.#root = root;
    this.#types = new SchemaTypes(root);
  }

  /** Returns the members of objects that satisfy one of the schemas, except those of any type. */
  membersOf(alternatives: readonly Schema[], level: number): readonly ReadableMember[] {
    const properties = alternatives.map((schema) =>
      isJsonObject(schema.properties) ? schema.properties : {},
    );
    const [first = {}, ...others] = properties;
    return Object.keys(first)
      .filter((name) => others.every((other) => Object.hasOwn(other, name)))
      .map((name) => {
        const value = this.#valueOf(
          properties.map((some) => some[name]),
          level + 1,
        );
        return { name, ...value };
      })
      .filter(({ types }) => types.length < ALL_TYPES.length);
  }

  /** Describes a value that satisfies one of the schemas. */
  #valueOf(schemas: readonly unknown[], level: number): ReadableValue {
    const types = unite(schemas.map((schema) => this.#types.typesOf(schema)));
    if (level > MAX_LEVELS || this.#remainingValues <= 0) return { types };
    this.#remainingValues--;
    const alternatives = schemas.flatMap((schema) => this.#alternativesOf(schema, 0));
    const selectByType = (type: JsonType) =>
      alternatives.filter((schema) => this.#types.typesOf(schema).includes(type));
    const members = types.includes("object") ? this.membersOf(selectByType("object"), level) : [];
    const arrays = types.includes("array") ? selectByType("array") : [];
    const items =
      arrays.length > 0 && arrays.every((schema) => hasUniformItems(schema))
        ? this.#valueOf(
            arrays.map((schema) => schema.items),
            level + 1,
          )
        : undefined;
    const isItemKnown = items !== undefined && items.types.length < ALL_TYPES.length;
    return {
      types,
      ...(members.length > 0 && { members }),
      ...(isItemKnown && { items }),
    };
  }

  /** Returns schemas of which each value of the given schema satisfies at least one. */
  #alternativesOf(schema: unknown, depth: number): readonly Schema[] {
    if (!isJsonObject(schema) || depth > MAX_LEVELS) return [{}];
    if ("properties" in schema || "items" in schema) return [schema];
    const { $ref, anyOf, oneOf, allOf } = schema;
    if (typeof $ref === "string") {
      return this.#alternativesOf(resolve($ref, this.#root), depth + 1);
    }
    const [firstPart] = Array.isArray(allOf) ? allOf : [];
    const options: unknown = anyOf ?? oneOf ?? (firstPart && [firstPart]);
    if (!Array.isArray(options)) return [schema];
    return options.flatMap((option) => this.#alternativesOf(option, depth + 1));
  }
}

function hasUniformItems({ items, prefixItems }: Schema): boolean {
  return isJsonObject(items) && prefixItems === undefined;
}

/** Computes upper bounds for the types of schemas' values. Examines each schema once. */
class SchemaTypes {
  readonly #root: Schema;
  readonly #known = new Map<Schema, readonly JsonType[]>();

  /** @param root the schema in which references are resolved */
  constructor(root: Schema) {
    this.#root = root;
  }

  typesOf(schema: unknown, depth = 0): readonly JsonType[] {
    if (!isJsonObject(schema) || depth > MAX_DEPTH) return ALL_TYPES;
    const known = this.#known.get(schema);
    if (known !== undefined) return known;
    // A schema that refers to itself adds no constraint.
    this.#known.set(schema, ALL_TYPES);
    const limits = this.#limitsOf(schema, depth + 1);
    const types = ALL_TYPES.filter((type) => limits.every((limit) => limit.includes(type)));
    this.#known.set(schema, types);
    return types;
  }

  /** Returns the types allowed by each keyword. */
  #limitsOf(schema: Schema, depth: number): readonly (readonly JsonType[])[] {
    const { allOf, $ref } = schema;
    return [
      parseTypes(schema.type),
      "const" in schema ? [typeOfValue(schema.const)] : ALL_TYPES,
      Array.isArray(schema.enum)
        ? unite(schema.enum.map((value) => [typeOfValue(value)]))
        : ALL_TYPES,
      this.#anyOf(schema.anyOf, depth),
      this.#anyOf(schema.oneOf, depth),
      ...(Array.isArray(allOf) ? allOf.map((part) => this.typesOf(part, depth)) : []),
      typeof $ref === "string" ? this.typesOf(resolve($ref, this.#root), depth) : ALL_TYPES,
    ];
  }

  #anyOf(options: unknown, depth: number): readonly JsonType[] {
    if (!Array.isArray(options)) return ALL_TYPES;
    return unite(options.map((option) => this.typesOf(option, depth)));
  }
}

function unite(sets: readonly (readonly JsonType[])[]): readonly JsonType[] {
  return ALL_TYPES.filter((type) => sets.some((set) => set.includes(type)));
}

function parseTypes(type: unknown): readonly JsonType[] {
  if (type === undefined) return ALL_TYPES;
  const names: readonly unknown[] = Array.isArray(type) ? type : [type];
  return ALL_TYPES.filter(
    (candidate) =>
      names.includes(candidate) || (candidate === "number" && names.includes("integer")),
  );
}

function typeOfValue(value: unknown): JsonType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "string" || type === "number" || type === "boolean" ? type : "object";
}

/** Resolves a JSON pointer within the root schema. */
function resolve(reference: string, root: Schema): unknown {
  if (!reference.startsWith("#")) return undefined;
  const keys = reference.slice(1).split("/").slice(1);
  return keys.reduce<unknown>((schema, key) => {
    const name = key.replaceAll("~1", "/").replaceAll("~0", "~");
    return isJsonObject(schema) && Object.hasOwn(schema, name) ? schema[name] : undefined;
  }, root);
}
