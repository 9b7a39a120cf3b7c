/**
 * What of a change between two OpenAPI 3.1 documents breaks a client: specification, section 9,
 * "changes inside a version are additive only".
 */
import { isNode, type Node, same, schemaBreaks } from "./additive-schema.js";

/** An OpenAPI document as it was parsed. */
export type OpenApiDocument = Node;

interface Versions<Value> {
  readonly before: Value;
  readonly after: Value;
}

interface Comparison extends Versions<Node> {
  readonly documents: Versions<OpenApiDocument>;
}

const methods = ["get", "head", "post", "put", "patch", "delete", "options", "trace"];

/**
 * Compares two descriptions of an interface.
 * @returns a line for each change that breaks a client, such as "GET /v1/todos: response 200:
 *   property completed was removed"; none when everything that was there still is.
 * @example
 * breakingChanges(promised, served).length === 0
 */
export function breakingChanges(before: OpenApiDocument, after: OpenApiDocument): string[] {
  const documents = { before, after };
  return [...serverBreaks(documents), ...schemeBreaks(documents), ...pathBreaks(documents)];
}

/**
 * As {@link breakingChanges}, but another version (`info.x-api-version`) may change everything.
 */
export function brokenPromises(promised: OpenApiDocument, served: OpenApiDocument): string[] {
  const version = (document: OpenApiDocument) => nodeAt(document, "info")["x-api-version"];
  return version(promised) === version(served) ? breakingChanges(promised, served) : [];
}

function serverBreaks({ before, after }: Versions<OpenApiDocument>): string[] {
  const urls = (document: OpenApiDocument) => listOf(document.servers).map(({ url }) => url);
  const lost = urls(before).filter((url) => !urls(after).includes(url));
  return lost.map((url) => `server ${url} was removed`);
}

/** What a key looks like; descriptions may change. */
function schemeBreaks({ before, after }: Versions<OpenApiDocument>): string[] {
  const schemes = (document: OpenApiDocument) =>
    nodeAt(nodeAt(document, "components"), "securitySchemes");
  return Object.entries(schemes(before)).flatMap(([name, scheme]) => {
    const now = schemes(after)[name];
    if (now === undefined) return [`security scheme ${name} was removed`];
    return same(withoutDescription(scheme), withoutDescription(now))
      ? []
      : [`security scheme ${name} was changed`];
  });
}

function withoutDescription(value: unknown): unknown {
  if (!isNode(value)) return value;
  const { description: _, ...rest } = value;
  return rest;
}

function pathBreaks(documents: Versions<OpenApiDocument>): string[] {
  const after = nodeAt(documents.after, "paths");
  return Object.entries(nodeAt(documents.before, "paths")).flatMap(([path, item]) => {
    const now = after[path];
    if (!isNode(item)) return [];
    if (!isNode(now)) return [`${path} was removed`];
    return methods
      .filter((method) => item[method] !== undefined)
      .flatMap((method) => {
        const name = `${method.toUpperCase()} ${path}`;
        if (now[method] === undefined) return [`${name} was removed`];
        const operations = {
          before: withPathParameters(item, method),
          after: withPathParameters(now, method),
        };
        return operationBreaks({ ...operations, documents }).map((line) => `${name}: ${line}`);
      });
  });
}

/** Parameters of a path count for each of its operations. */
function withPathParameters(item: Node, method: string): Node {
  const operation = nodeAt(item, method);
  return {
    ...operation,
    parameters: [...listOf(item.parameters), ...listOf(operation.parameters)],
  };
}

function operationBreaks(comparison: Comparison): string[] {
  const { before, after } = comparison;
  const renamed = before.operationId !== after.operationId;
  return [
    ...(renamed ? [`operationId went from ${before.operationId} to ${after.operationId}`] : []),
    ...securityBreaks(comparison),
    ...parameterBreaks(comparison),
    ...requestBodyBreaks(comparison),
    ...responseBreaks(comparison),
  ];
}

/** Who could call an operation can still call it: with the same keys, or with fewer. */
function securityBreaks({ before, after, documents }: Comparison): string[] {
  const alternatives = {
    before: alternativesOf(before, documents.before),
    after: alternativesOf(after, documents.after),
  };
  return alternatives.before
    .filter((had) => !alternatives.after.some((needed) => satisfies(had, needed)))
    .map((had) => `security: ${Object.keys(had).join(" and ") || "no key"} is not enough any more`);
}

function alternativesOf(operation: Node, document: OpenApiDocument): readonly Node[] {
  const alternatives = listOf(operation.security ?? document.security);
  return alternatives.length === 0 ? [{}] : alternatives;
}

function satisfies(had: Node, needed: Node): boolean {
  return Object.entries(needed).every(([scheme, scopes]) => {
    const held = had[scheme];
    return Array.isArray(held) && Array.isArray(scopes) && scopes.every((s) => held.includes(s));
  });
}

function parameterBreaks({ before, after, documents }: Comparison): string[] {
  const parameters = {
    before: parametersOf(before, documents.before),
    after: parametersOf(after, documents.after),
  };
  const added = [...parameters.after]
    .filter(([name, { required }]) => required === true && !parameters.before.has(name))
    .map(([name]) => `${name} was added and is required`);
  const changed = [...parameters.before].flatMap(([name, parameter]) => {
    const now = parameters.after.get(name);
    if (now === undefined) return [`${name} was removed`];
    const form = ["style", "explode", "allowReserved", "content"];
    return [
      ...(now.required === true && parameter.required !== true ? [`${name} became required`] : []),
      ...form
        .filter((field) => !same(parameter[field], now[field]))
        .map((field) => `${name}: ${field} was changed`),
      ...schemaBreaks({
        direction: "request",
        before: parameter.schema,
        after: now.schema,
        at: "",
        resolve: resolvers(documents),
      }).map((line) => `${name}: ${line}`),
    ];
  });
  return [...added, ...changed];
}

/** Parameters by what identifies them: `query parameter limit`. Names of headers have no case. */
function parametersOf(operation: Node, document: OpenApiDocument): ReadonlyMap<string, Node> {
  return new Map(
    listOf(operation.parameters).map((listed) => {
      const parameter = dereferenced(listed, document);
      const name = String(parameter.name);
      const key = parameter.in === "header" ? name.toLowerCase() : name;
      return [`${parameter.in} parameter ${key}`, parameter];
    }),
  );
}

function requestBodyBreaks({ before, after, documents }: Comparison): string[] {
  const body = {
    before: dereferenced(before.requestBody, documents.before),
    after: dereferenced(after.requestBody, documents.after),
  };
  if (before.requestBody === undefined) {
    return body.after.required === true ? ["request: a body became required"] : [];
  }
  if (after.requestBody === undefined) return ["request: the body was removed"];
  const lines = [
    ...(body.after.required === true && body.before.required !== true
      ? ["the body became required"]
      : []),
    ...contentBreaks({ ...body, documents }, "request"),
  ];
  return lines.map((line) => `request: ${line}`);
}

function responseBreaks({ before, after, documents }: Comparison): string[] {
  const now = nodeAt(after, "responses");
  return Object.entries(nodeAt(before, "responses")).flatMap(([status, response]) => {
    if (now[status] === undefined) return [`response ${status} was removed`];
    const responses = {
      before: dereferenced(response, documents.before),
      after: dereferenced(now[status], documents.after),
    };
    const lines = [
      ...headerBreaks({ ...responses, documents }),
      ...contentBreaks({ ...responses, documents }, "response"),
    ];
    return lines.map((line) => `response ${status}: ${line}`);
  });
}

function headerBreaks({ before, after, documents }: Comparison): string[] {
  const now = headersOf(after, documents.after);
  return [...headersOf(before, documents.before)].flatMap(([name, header]) => {
    const current = now.get(name);
    if (current === undefined) return [`header ${name} was removed`];
    return [
      ...(header.required === true && current.required !== true
        ? [`header ${name} is no longer required`]
        : []),
      ...schemaBreaks({
        direction: "response",
        before: header.schema,
        after: current.schema,
        at: "",
        resolve: resolvers(documents),
      }).map((line) => `header ${name}: ${line}`),
    ];
  });
}

function headersOf(response: Node, document: OpenApiDocument): ReadonlyMap<string, Node> {
  return new Map(
    Object.entries(nodeAt(response, "headers")).map(([name, header]) => [
      name.toLowerCase(),
      dereferenced(header, document),
    ]),
  );
}

function contentBreaks(
  { before, after, documents }: Comparison,
  direction: "request" | "response",
): string[] {
  const now = nodeAt(after, "content");
  return Object.entries(nodeAt(before, "content")).flatMap(([type, media]) => {
    if (now[type] === undefined) return [`${type} was removed`];
    const lines = schemaBreaks({
      direction,
      before: isNode(media) ? media.schema : undefined,
      after: nodeAt(now, type).schema,
      at: "",
      resolve: resolvers(documents),
    });
    return type === "application/json" ? lines : lines.map((line) => `${type}: ${line}`);
  });
}

function resolvers({ before, after }: Versions<OpenApiDocument>) {
  return {
    before: (reference: string) => valueAt(reference, before),
    after: (reference: string) => valueAt(reference, after),
  };
}

/** @throws when a document refers to what it does not hold. */
function dereferenced(value: unknown, document: OpenApiDocument): Node {
  if (!isNode(value)) return {};
  if (typeof value.$ref !== "string") return value;
  return dereferenced(valueAt(value.$ref, document), document);
}

function valueAt(reference: string, document: OpenApiDocument): unknown {
  const keys = reference.replace(/^#\//, "").split("/");
  const found = keys
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((value, key) => (isNode(value) ? value[key] : undefined), document);
  if (found === undefined) throw new Error(`${reference}: expected something there, got nothing.`);
  return found;
}

function nodeAt(node: Node, key: string): Node {
  const value = node[key];
  return isNode(value) ? value : {};
}

function listOf(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}
