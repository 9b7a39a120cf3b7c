import type { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { readBytes } from "./body-bytes.js";
import { attachSourceTexts, measureJson, type ParsedJson, parseJson } from "./parse-json.js";

declare module "fastify" {
  interface FastifyInstance {
    /** Absent: large bodies are parsed on the event loop. */
    parseLargeJson?: ParseLargeJson;
  }
}

/**
 * Measures and parses a body outside the event loop.
 * @param bytes transferred: unusable afterwards
 * @throws {GgufdError} `invalid_json`
 */
export type ParseLargeJson = (bytes: Uint8Array, written: readonly string[]) => Promise<ParsedJson>;

/**
 * Bodies with more values take milliseconds each to measure, parse and read, and yield to the event
 * loop in between.
 */
const MANY_VALUES = 4000;

/**
 * Size from which a body is parsed outside the event loop; for smaller bodies the transfer takes
 * longer than parsing.
 */
const LARGE_BYTES = 256 * 1024;

export interface JsonBodyOptions {
  /** `*`: any content type, because `curl -d` declares a form. */
  readonly contentType: "application/json" | "*";
  /** Names of members whose objects keep their source text (`toJsonText`). */
  readonly verbatimMembers: readonly string[];
}

/** Sets the parser of large bodies, which runs outside the event loop. */
export function setLargeJsonParser(app: FastifyInstance, parse: ParseLargeJson): void {
  app.decorate("parseLargeJson", parse);
}

/**
 * Parses the JSON bodies of a scope, and refuses other types. An empty body becomes `undefined`,
 * which the schemas reject.
 */
export function readJsonBodies(
  scope: FastifyInstance,
  { contentType = "application/json", verbatimMembers = [] }: Partial<JsonBodyOptions> = {},
): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(contentType, async (request: FastifyRequest, body: Readable) => {
    const bytes = await readBytes(request, body);
    if (bytes.length === 0) return undefined;
    const { parseLargeJson } = scope;
    if (parseLargeJson === undefined || bytes.length <= LARGE_BYTES) {
      return parseWithYields(bytes, verbatimMembers);
    }
    const value = attachSourceTexts(await parseLargeJson(bytes, verbatimMembers));
    // Copying the value from the worker thread has taken milliseconds.
    await nextTurn();
    return value;
  });
}

async function parseWithYields(bytes: Uint8Array, written: readonly string[]): Promise<unknown> {
  const isLarge = measureJson(bytes).values > MANY_VALUES;
  if (isLarge) await nextTurn();
  const value = attachSourceTexts(parseJson(bytes, written));
  if (isLarge) await nextTurn();
  return value;
}
