import { parse } from "yaml";
import { eventData } from "../support/server-sent-events.js";
import { closed, pointerTo, schemasOf } from "./json-schemas.js";
import { isNode, type Node, type OpenApiDocument } from "./open-api-document.js";

/** A response that was observed: `GET /v1/todos 200`. */
export type Seen = string;

/** Validates responses against their descriptions, and records which of these were covered. */
export class DescribedAnswers {
  readonly #paths: Node;
  readonly #document: OpenApiDocument;
  readonly #schema: ReturnType<typeof schemasOf>;
  readonly #seen = new Set<Seen>();

  constructor(document: OpenApiDocument) {
    this.#document = closed(document) as OpenApiDocument;
    this.#paths = nodeAt(this.#document, "paths");
    this.#schema = schemasOf(this.#document);
  }

  /** The described responses that have not been observed. */
  get unseen(): Seen[] {
    return this.#described().filter((one) => !this.#seen.has(one));
  }

  /** The operations that describe a response with this status. */
  operationsWith(status: number): { readonly method: string; readonly path: string }[] {
    const operations = this.#described().flatMap((seen) => {
      const [, method = "", path = ""] = new RegExp(`^(\\S+) (\\S+) ${status}$`).exec(seen) ?? [];
      return method === "" ? [] : [{ method, path }];
    });
    return operations;
  }

  /** The operations that describe a response with this error code. */
  operationsWithError(code: string): { readonly method: string; readonly path: string }[] {
    return this.#described().flatMap((seen) => {
      const [method = "", path = "", ...rest] = seen.split(" ");
      return rest.at(-1) === code ? [{ method, path }] : [];
    });
  }

  /**
   * @throws {Error} when the status, the headers, the media type or the body of the response does not
   *   match the description of its operation.
   */
  async check(method: string, path: string, response: Response): Promise<void> {
    const template = this.#templateOf(path);
    const operation = nodeAt(nodeAt(this.#paths, template), method.toLowerCase());
    const answer = nodeAt(nodeAt(operation, "responses"), String(response.status));
    const name = `${method} ${template} ${response.status}`;
    const text = await response.text();
    if (Object.keys(answer).length === 0) throw new Error(`${name} is not described: ${text}`);
    this.#seen.add(name);
    const place = ["paths", template, method.toLowerCase(), "responses", String(response.status)];
    const faults = [
      ...this.#headerFaults(name, answer, place, response),
      ...this.#bodyFaults(name, answer, place, response, text),
    ];
    if (faults.length > 0) throw new Error(`${name}: ${faults.join("; ")}: ${text}`);
  }

  /** Of several matching templates, one without path parameters takes precedence. */
  #templateOf(path: string): string {
    const found = Object.keys(this.#paths)
      .filter((template) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path))
      .toSorted((a, b) => Number(a.includes("{")) - Number(b.includes("{")))[0];
    if (found === undefined) throw new Error(`${path} is not described`);
    return found;
  }

  #headerFaults(name: Seen, answer: Node, place: string[], { headers }: Response): string[] {
    return Object.entries(nodeAt(answer, "headers")).flatMap(([header, described]) => {
      const value = headers.get(header);
      const { reference, node } = this.#resolved(described, [...place, "headers", header]);
      if (value === null) return node.required === true ? [`${header} is missing`] : [];
      this.#seen.add(`${name} ${header}`);
      const faults = this.#schema(pointerTo(...reference, "schema"))(value);
      return faults.map((fault) => `${header}: ${fault}`);
    });
  }

  #bodyFaults(
    name: Seen,
    answer: Node,
    place: string[],
    { headers }: Response,
    text: string,
  ): string[] {
    const content = nodeAt(answer, "content");
    const [mediaType = ""] = (headers.get("content-type") ?? "").split(";");
    if (Object.keys(content).length === 0) {
      return text === "" && mediaType === "" ? [] : ["expected no body"];
    }
    const media = content[mediaType];
    if (!isNode(media)) return [`media type ${mediaType} is not described`];
    this.#seen.add(`${name} ${mediaType}`);
    if (media.schema === undefined) return [];
    const check = this.#schema(pointerTo(...place, "content", mediaType, "schema"));
    return valuesIn(text, mediaType).flatMap((value) => [
      ...check(value),
      ...this.#codeFaults(value, media, `${name} ${mediaType}`),
    ]);
  }

  /** Each error code of a status must be described by an example with that code. */
  #codeFaults(value: unknown, media: Node, name: Seen): string[] {
    const code = codeOf(value);
    if (code === undefined || media.examples === undefined) return [];
    this.#seen.add(`${name} ${code}`);
    return codesIn(media).includes(code) ? [] : [`code ${code} is not described`];
  }

  #resolved(node: unknown, place: string[]): { readonly reference: string[]; readonly node: Node } {
    if (!isNode(node)) return { reference: place, node: {} };
    if (typeof node.$ref !== "string") return { reference: place, node };
    const reference = node.$ref.replace(/^#\//, "").split("/");
    const target = reference.reduce<Node>((value, key) => nodeAt(value, key), this.#document);
    return { reference, node: target };
  }

  /** Each described status, with each of its headers, media types and error codes. */
  #described(): Seen[] {
    return Object.entries(this.#paths).flatMap(([path, item]) =>
      Object.entries(isNode(item) ? item : {}).flatMap(([method, operation]) =>
        Object.entries(nodeAt(isNode(operation) ? operation : {}, "responses")).flatMap(
          ([status, answer]) => {
            const name = `${method.toUpperCase()} ${path} ${status}`;
            const parts = isNode(answer) ? answer : {};
            return [
              name,
              ...Object.keys(nodeAt(parts, "headers")).map((header) => `${name} ${header}`),
              ...Object.entries(nodeAt(parts, "content")).flatMap(([type, media]) => [
                `${name} ${type}`,
                ...codesIn(media).map((code) => `${name} ${type} ${code}`),
              ]),
            ];
          },
        ),
      ),
    );
  }
}

/** The error code, in envelopes that have one. */
function codeOf(value: unknown): string | undefined {
  const error = isNode(value) && isNode(value.error) ? value.error : {};
  return typeof error.code === "string" ? error.code : undefined;
}

function codesIn(media: unknown): string[] {
  const examples = isNode(media) ? Object.values(nodeAt(media, "examples")) : [];
  return examples.flatMap((example) => codeOf(isNode(example) ? example.value : example) ?? []);
}

/** The values in a body: one, or the data of each event of a stream. */
function valuesIn(text: string, mediaType: string): unknown[] {
  switch (mediaType) {
    case "application/json":
      return [JSON.parse(text)];
    case "text/event-stream":
      return eventData(text)
        .filter((data) => data !== "[DONE]")
        .map((data) => JSON.parse(data));
    case "application/x-ndjson":
      return text
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    case "application/yaml":
      return [parse(text)];
    default:
      return [text];
  }
}

function nodeAt(node: Node, key: string): Node {
  const value = node[key];
  return isNode(value) ? value : {};
}
