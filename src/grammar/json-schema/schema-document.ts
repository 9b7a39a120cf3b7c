import { UnsupportedGrammar } from "../errors.js";

/** Schema within a document. */
export interface SchemaPlace {
  readonly schema: unknown;
  /** Path from the root of the document. */
  readonly path: readonly string[];
  /** Base of its relative references. */
  readonly base: SchemaBase;
}

/** Schema with an identifier, or the whole document. */
interface SchemaBase {
  readonly uri: string;
  readonly root: unknown;
  readonly path: readonly string[];
}

/** Identifier of documents without one. */
const DEFAULT_URI = "schema:/";

/** Keywords whose value is a schema or a list of schemas. */
const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set([
  "additionalItems",
  "additionalProperties",
  "allOf",
  "anyOf",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "oneOf",
  "prefixItems",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
const SCHEMA_MAP_KEYWORDS: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "patternProperties",
  "properties",
]);

/** Document of schemas, which resolves the references in it. */
export class SchemaDocument {
  readonly root: SchemaPlace;
  readonly draft: Draft;
  #placesByIdentifier: ReadonlyMap<string, SchemaPlace> | undefined;

  constructor(schema: unknown) {
    const base = { uri: DEFAULT_URI, root: schema, path: [] };
    this.draft = parseDraft(isJsonObject(schema) ? schema["$schema"] : undefined);
    this.root = this.#enter({ schema, path: [], base });
  }

  /** Returns the place of a subschema. */
  placeBelow(place: SchemaPlace, steps: readonly string[], schema: unknown): SchemaPlace {
    return this.#enter({ schema, path: [...place.path, ...steps], base: place.base });
  }

  /** Returns the keywords of a schema that its draft defines. */
  keywordsOf(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const { unknownKeywords } = this.draft;
    const names = Object.keys(schema);
    if (!names.some((name) => unknownKeywords.has(name))) return schema;
    return Object.fromEntries(
      Object.entries(schema).filter(([name]) => !unknownKeywords.has(name)),
    );
  }

  /**
   * Resolves a reference to a schema.
   * @throws {UnsupportedGrammar} the document contains no such schema
   */
  resolve(place: SchemaPlace, reference: string): SchemaPlace {
    const [address = "", fragment = ""] = reference.split("#", 2);
    const found =
      address === "" && (fragment === "" || fragment.startsWith("/"))
        ? (this.#resolvePointer(place.base, fragment) ??
          this.#resolvePointer(this.root.base, fragment))
        : this.#resolveIdentifier(place.base, address, fragment);
    if (found !== undefined) return found;
    throw new UnsupportedGrammar(
      [...place.path, "$ref"],
      `expected a reference within the schema, got ${JSON.stringify(reference)}`,
    );
  }

  #resolveIdentifier(base: SchemaBase, address: string, fragment: string): SchemaPlace | undefined {
    const uri = resolveUri(base.uri, address);
    const isPointer = fragment === "" || fragment.startsWith("/");
    const found = this.#allIdentified.get(isPointer ? uri : `${uri}#${fragment}`);
    return found !== undefined && isPointer ? this.#resolvePointer(found.base, fragment) : found;
  }

  #resolvePointer(base: SchemaBase, pointer: string): SchemaPlace | undefined {
    let place: SchemaPlace = { schema: base.root, path: base.path, base };
    for (const token of pointer.split("/").slice(1)) {
      const step = decodeToken(token);
      const { schema } = place;
      if (typeof schema !== "object" || schema === null || !Object.hasOwn(schema, step)) {
        return undefined;
      }
      place = this.placeBelow(place, [step], (schema as Readonly<Record<string, unknown>>)[step]);
    }
    return place;
  }

  /** Returns the place with a new base if its schema has an identifier, else unchanged. */
  #enter(place: SchemaPlace): SchemaPlace {
    if (this.#isReferenceAlone(place.schema)) return place;
    const identifier = identifierOf(place.schema);
    if (identifier === undefined || identifier.startsWith("#")) return place;
    const uri = resolveUri(place.base.uri, identifier.split("#", 1)[0] ?? "");
    return { ...place, base: { uri, root: place.schema, path: place.path } };
  }

  #isReferenceAlone(schema: unknown): boolean {
    return this.draft.refSiblings === "ignored" && isJsonObject(schema) && "$ref" in schema;
  }

  /** Schemas by identifier and anchor, collected for the first reference that needs them. */
  get #allIdentified(): ReadonlyMap<string, SchemaPlace> {
    this.#placesByIdentifier ??= this.#collect();
    return this.#placesByIdentifier;
  }

  #collect(): ReadonlyMap<string, SchemaPlace> {
    const identified = new Map<string, SchemaPlace>();
    const places = [this.root];
    for (let place = places.pop(); place !== undefined; place = places.pop()) {
      const { schema, base } = place;
      if (!isJsonObject(schema)) continue;
      if (base.root === schema) identified.set(base.uri, place);
      for (const name of [schema["$anchor"], fragmentOf(identifierOf(schema))]) {
        if (typeof name === "string" && name !== "") identified.set(`${base.uri}#${name}`, place);
      }
      places.push(...this.#subschemas(place, schema));
    }
    return identified;
  }

  /**
   * Returns the direct subschemas of a schema. Values of other keywords are data, even if they look
   * like schemas.
   */
  #subschemas(
    place: SchemaPlace,
    schema: Readonly<Record<string, unknown>>,
  ): readonly SchemaPlace[] {
    return Object.entries(schema).flatMap(([keyword, value]) => {
      const isList = SCHEMA_KEYWORDS.has(keyword) && Array.isArray(value);
      if (isList || (SCHEMA_MAP_KEYWORDS.has(keyword) && isJsonObject(value))) {
        return Object.entries(value).map(([step, child]) =>
          this.placeBelow(place, [keyword, step], child),
        );
      }
      return SCHEMA_KEYWORDS.has(keyword) ? [this.placeBelow(place, [keyword], value)] : [];
    });
  }
}

function identifierOf(schema: unknown): string | undefined {
  if (!isJsonObject(schema)) return undefined;
  const identifier = schema["$id"] ?? schema["id"];
  return typeof identifier === "string" ? identifier : undefined;
}

function fragmentOf(identifier: string | undefined): string | undefined {
  return identifier?.split("#", 2)[1];
}

function resolveUri(base: string, reference: string): string {
  try {
    return new URL(reference, base).href;
  } catch {
    return reference;
  }
}

function decodeToken(token: string): string {
  const unescaped = token.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(unescaped);
  } catch {
    return unescaped;
  }
}

/** Keywords that constrain values, by the draft of JSON Schema that introduced them. */
const KEYWORDS_BY_DRAFT: readonly (readonly [draft: number, keywords: readonly string[]])[] = [
  [6, ["const", "contains", "propertyNames"]],
  [7, ["if", "then", "else"]],
  [
    2019,
    [
      "$recursiveRef",
      "dependentRequired",
      "dependentSchemas",
      "maxContains",
      "minContains",
      "unevaluatedItems",
      "unevaluatedProperties",
    ],
  ],
  [2020, ["$dynamicRef", "prefixItems"]],
];

/** Rules that depend on the draft of a document. */
export interface Draft {
  /** Whether keywords next to `$ref` count; up to draft 7 they are ignored. */
  readonly refSiblings: "ignored" | "counted";
  /** Keywords of later drafts, which are annotations in this one. */
  readonly unknownKeywords: ReadonlySet<string>;
}

/**
 * Returns the draft named by `$schema`. Without it, the keywords of all drafts apply, and so do
 * those next to `$ref`, because clients often omit `$schema` and mix drafts.
 */
export function parseDraft(dialect: unknown): Draft {
  const dialectMatch = typeof dialect === "string" ? DIALECT.exec(dialect) : null;
  const number = Number(dialectMatch?.[1] ?? dialectMatch?.[2] ?? Number.POSITIVE_INFINITY);
  return {
    refSiblings: number <= 7 ? "ignored" : "counted",
    unknownKeywords: new Set(
      KEYWORDS_BY_DRAFT.flatMap(([draft, keywords]) => (draft > number ? keywords : [])),
    ),
  };
}

const DIALECT =
  /^https?:\/\/json-schema\.org\/(?:draft-0([3467])\/schema|draft\/(2019|2020)-\d\d\/schema)#?$/;

/** Whether a parsed JSON value is an object: neither null nor an array. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
