/**
 * Requests to every route of `docs/openapi.json`: its example and the lists and maps of its schema,
 * inflated to the limits.
 */
import { readFileSync } from "node:fs";
import type { WorstRequest, WorstRequests } from "./stalls-body.js";
import {
  type BodyBuilder,
  type BodySizes,
  CONTROL_TOKENS,
  filled,
  filling,
  limits,
  listing,
  listOf,
  type Members,
  nested,
  object,
} from "./stalls-body.js";

type Json = string | number | boolean | null | readonly Json[] | JsonObject;
interface JsonObject {
  readonly [name: string]: Json;
}

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly const?: Json;
  readonly enum?: readonly Json[];
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly minimum?: number;
}

interface JsonContent {
  readonly schema: Schema;
  readonly example?: Json;
  readonly examples?: Readonly<Record<string, { readonly value: Json }>>;
}

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, JsonContent>> };
}

interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const api = JSON.parse(
  readFileSync(new URL("../../docs/openapi.json", import.meta.url), "utf8"),
) as ApiDocument;

/** Maximum characters of a path parameter, from `src/http/request-checks.ts`. */
const PARAMETER = 1_024;
/** Valid paths of the routes whose parameters do not accept arbitrary text. */
const paths: Readonly<Record<string, string>> = {
  "/slots/{id}": "/slots/0?action=restore",
  "/docs/{file}": "/docs/swagger-ui.css",
  "/page/{file}": `/page/${"p".repeat(PARAMETER - 3)}.js`,
  "/v1/todos/{id}": "/v1/todos/1",
  "/api/todos/{id}": "/api/todos/1",
  "/todos/{id}": "/todos/1",
};
/** Routes that need a special request: an endless stream. */
const WITHOUT_END = ["/v1/models/sse"];
/** Routes that accept smaller bodies, and their limits in bytes, from `src/api/todos/schema.ts`. */
const SMALL_BODIES = /\/todos(\/|$)/;
const SMALL_BODY_BYTES = 128 * 1024;

/** Fields that limit an answer, and their values. */
const shortAnswers: Members = {
  max_tokens: "8",
  max_output_tokens: "8",
  n_predict: "8",
  options: '{"num_predict":8}',
};
/** Maximum number of items of lists that have more or fewer than {@link USUAL_ITEMS}. */
const mostItems: Readonly<Record<string, number>> = {
  messages: limits.messages,
  items: limits.messages,
  input: 2_048,
  // Each is answered, a thousand of them only after minutes.
  prompt: 100,
  tokens: Infinity,
  context: Infinity,
  logit_bias: limits.logitBiases,
};
const USUAL_ITEMS = 1_000;

export const derivedRequests: WorstRequests = Object.fromEntries(
  Object.entries(api.paths).flatMap(([route, operations]) =>
    Object.entries(operations)
      .filter(([method]) => method !== "parameters" && !WITHOUT_END.includes(route))
      .flatMap(([method, operation]) => requestsTo(method.toUpperCase(), route, operation)),
  ),
);

function requestsTo(
  method: string,
  route: string,
  { requestBody }: Operation,
): [string, WorstRequest][] {
  const path = paths[route] ?? route.replaceAll(/\{\w+\}/g, "m".repeat(PARAMETER));
  const to = { method: method as WorstRequest["method"], path };
  if (requestBody === undefined && method !== "POST") {
    return [[`${method} ${route}`, { ...to, sent: "pipelined" }]];
  }
  const content = requestBody?.content["application/json"];
  if (requestBody !== undefined && content === undefined) return [];
  const bodies = content === undefined ? fieldsOf({}) : bodiesOf(content);
  return Object.entries(bodies).map(([name, body]) => [
    `${method} ${route}: ${name}`,
    { ...to, body: SMALL_BODIES.test(route) ? withBytes(body, SMALL_BODY_BYTES) : body },
  ]);
}

function withBytes(body: BodyBuilder, most: number): BodyBuilder {
  return ({ bytes, values, ...sizes }) =>
    body({ ...sizes, bytes: Math.min(bytes, most), values: Math.min(values, most / 16) });
}

/** Builds the bodies of a route, by name. */
function bodiesOf({ schema, example, examples = {} }: JsonContent): Record<string, BodyBuilder> {
  const shown = example ?? Object.values(examples)[0]?.value ?? {};
  if (Array.isArray(shown)) return listBodies("items", shown, "[…]", USUAL_ITEMS);
  if (!isObject(shown)) return {};
  const { model: _, ...own } = shown;
  const others = withShortInstances(own);
  const members = { ...membersOf(others), ...shortAnswersOf(schema) };
  return {
    ...textBodies(others, shortAnswersOf(schema)),
    ...fieldsOf(members),
    ...Object.assign(
      {},
      ...alternatives(schema).flatMap(({ properties = {} }) =>
        Object.entries(properties).flatMap(([name, property]) =>
          alternatives(property).map((each) => collectionBodies(name, each, members, others[name])),
        ),
      ),
    ),
  };
}

/** Limits the answers to requests that an example contains. */
function withShortInstances({ instances, ...others }: JsonObject): JsonObject {
  if (!Array.isArray(instances)) return others;
  const each = instances as readonly JsonObject[];
  return { ...others, instances: each.map((instance) => ({ ...instance, max_tokens: 8 })) };
}

/** Bodies with one long text each, the last one also of control tokens. */
function textBodies(example: JsonObject, members: Members): Record<string, BodyBuilder> {
  const texts = textsIn(example, []).map(({ path, marked }) => ({
    name: path.join("."),
    template: object({ ...membersOf(marked as JsonObject), ...members }),
  }));
  return Object.fromEntries([
    ...texts.map(({ name, template }) => [`long ${name}`, filling("able ", template)]),
    ...texts
      .slice(-1)
      .map(({ name, template }) => [
        `${name} of control tokens`,
        filling(CONTROL_TOKENS, template),
      ]),
  ]);
}

interface MarkedText {
  readonly path: readonly string[];
  /** The value with the placeholder `…` as this text. */
  readonly marked: Json;
}

/** Finds the texts in a value, of lists in their last item only. */
function textsIn(value: Json, path: readonly string[]): MarkedText[] {
  if (typeof value === "string") return [{ path, marked: "…" }];
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    return textsIn(items.at(-1) ?? null, path).map((text) => ({
      ...text,
      marked: [...items.slice(0, -1), text.marked],
    }));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    textsIn(member, [...path, name]).map((text) => ({
      ...text,
      marked: { ...value, [name]: text.marked },
    })),
  );
}

/** Bodies with unknown fields. */
function fieldsOf(members: Members): Record<string, BodyBuilder> {
  const withField = (field: string) =>
    `${object(members).slice(0, -1)},${field}}`.replace("{,", "{");
  return {
    "most unknown fields": listing('"m{i}":0', withField("…")),
    "deepest unknown field": () => withField(`"m":${nested(limits.depth - 1, '{"a":', "0", "}")}`),
  };
}

/** Bodies with the longest list or map that a field may have; none if it has another type. */
function collectionBodies(
  name: string,
  schema: Schema,
  members: Members,
  example: Json | undefined,
): Record<string, BodyBuilder> {
  const template = object({ ...members, [name]: hasType(schema, "array") ? "[…]" : "{…}" });
  const items = schema.maxItems ?? mostItems[name] ?? USUAL_ITEMS;
  if (hasType(schema, "object") && schema.properties === undefined) {
    return { [`most ${name}`]: listing('"{i}":1', template, items) };
  }
  if (!hasType(schema, "array")) return {};
  if (Array.isArray(example)) return listBodies(name, example, template, items);
  const item = sampleOf(schema.items ?? {});
  const kind = isObject(item) ? name : `${name}, as ${Array.isArray(item) ? "list" : typeof item}s`;
  return { [`most ${kind}`]: listing(JSON.stringify(item), template, items) };
}

/**
 * Builds bodies whose list has the maximum length: with the example's items, with long items, and
 * with items of the wrong type.
 */
function listBodies(
  name: string,
  [first = 0]: readonly Json[],
  template: string,
  items: number,
): Record<string, BodyBuilder> {
  const item = JSON.stringify(first);
  const [marked] = textsIn(first, []).slice(-1);
  return {
    [`most ${name}`]: listing(item, template, items),
    [`all ${name} wrong`]: listing("{}", template, items),
    ...(marked !== undefined && {
      [`most ${name}, filled`]: (sizes: BodySizes) => {
        const most = Math.min(sizes.values / item.split(/[:,]/).length / 2, sizes.bytes / 200);
        const count = Math.floor(Math.min(items, most));
        const share = (sizes.bytes - template.length) / count - 1;
        const long = JSON.stringify(marked.marked);
        const filledItem = filled(share, "able ", (text) => long.replace("…", () => text));
        return template.replace("…", () => listOf(count, () => filledItem));
      },
    }),
  };
}

/** Smallest valid value of a schema. */
function sampleOf(schema: Schema): Json {
  const [first = {}] = alternatives(schema);
  if (first.const !== undefined) return first.const;
  if (first.enum !== undefined) return first.enum[0] ?? null;
  if (hasType(first, "string")) return "a";
  if (hasType(first, "array")) return [sampleOf(first.items ?? {})];
  if (hasType(first, "object")) {
    const { required = [], properties = {} } = first;
    return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {})]));
  }
  return hasType(first, "boolean") ? true : Math.max(1, first.minimum ?? 1);
}

/** Schemas one of which a value satisfies, with references resolved. */
function alternatives({ $ref, ...schema }: Schema): readonly Schema[] {
  if ($ref !== undefined)
    return alternatives(api.components.schemas[$ref.replace(/.*\//, "")] ?? {});
  const { anyOf = [], oneOf = [], allOf = [] } = schema;
  const parts = [...anyOf, ...oneOf, ...allOf].flatMap(alternatives);
  return parts.length > 0 ? parts : [schema];
}

function shortAnswersOf(schema: Schema): Members {
  const known = alternatives(schema).flatMap(({ properties = {} }) => Object.keys(properties));
  return Object.fromEntries(Object.entries(shortAnswers).filter(([name]) => known.includes(name)));
}

function hasType({ type }: Schema, name: string): boolean {
  return type === name || (Array.isArray(type) && type.includes(name));
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function membersOf(value: JsonObject): Members {
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, JSON.stringify(member)]),
  );
}
