import type { ToolDefinition } from "../../core/generation-request.js";
import { isJsonObject } from "../../core/json-object.js";
import type { JsonType, ReadableTool } from "../../core/output-format.js";

const ALL_TYPES: readonly JsonType[] = ["string", "number", "boolean", "null", "object", "array"];
/** Schemas nested deeper, references included, count as ones of any type. */
const MAX_DEPTH = 64;

type Schema = Readonly<Record<string, unknown>>;

/** What the reader of an output needs to know about a tool, from the schema of its parameters. */
export function readableTool({ name, parameters = {} }: ToolDefinition): ReadableTool {
  const properties = isJsonObject(parameters.properties) ? parameters.properties : {};
  const types = new SchemaTypes(parameters);
  return {
    name,
    parameters: Object.entries(properties)
      .map(([parameter, schema]) => ({ name: parameter, types: types.of(schema) }))
      .filter((parameter) => parameter.types.length < ALL_TYPES.length),
  };
}

/** The types that values of schemas may have, at most. Looks at each schema once. */
class SchemaTypes {
  readonly #root: Schema;
  readonly #known = new Map<Schema, readonly JsonType[]>();

  /** @param root where references lead to */
  constructor(root: Schema) {
    this.#root = root;
  }

  of(schema: unknown, depth = 0): readonly JsonType[] {
    if (!isJsonObject(schema) || depth > MAX_DEPTH) return ALL_TYPES;
    const known = this.#known.get(schema);
    if (known !== undefined) return known;
    // A schema that refers to itself adds nothing by that.
    this.#known.set(schema, ALL_TYPES);
    const limits = this.#limitsOf(schema, depth + 1);
    const types = ALL_TYPES.filter((type) => limits.every((limit) => limit.includes(type)));
    this.#known.set(schema, types);
    return types;
  }

  /** Each keyword's own types. */
  #limitsOf(schema: Schema, depth: number): readonly (readonly JsonType[])[] {
    const { allOf, $ref } = schema;
    return [
      typesNamed(schema.type),
      "const" in schema ? [typeOfValue(schema.const)] : ALL_TYPES,
      Array.isArray(schema.enum)
        ? union(schema.enum.map((value) => [typeOfValue(value)]))
        : ALL_TYPES,
      this.#anyOf(schema.anyOf, depth),
      this.#anyOf(schema.oneOf, depth),
      ...(Array.isArray(allOf) ? allOf.map((part) => this.of(part, depth)) : []),
      typeof $ref === "string" ? this.of(resolve($ref, this.#root), depth) : ALL_TYPES,
    ];
  }

  #anyOf(options: unknown, depth: number): readonly JsonType[] {
    if (!Array.isArray(options)) return ALL_TYPES;
    return union(options.map((option) => this.of(option, depth)));
  }
}

function union(sets: readonly (readonly JsonType[])[]): readonly JsonType[] {
  return ALL_TYPES.filter((type) => sets.some((set) => set.includes(type)));
}

function typesNamed(type: unknown): readonly JsonType[] {
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

/** The schema that a JSON pointer within the root leads to. */
function resolve(reference: string, root: Schema): unknown {
  if (!reference.startsWith("#")) return undefined;
  const keys = reference.slice(1).split("/").slice(1);
  return keys.reduce<unknown>((schema, key) => {
    const name = key.replaceAll("~1", "/").replaceAll("~0", "~");
    return isJsonObject(schema) && Object.hasOwn(schema, name) ? schema[name] : undefined;
  }, root);
}
