import type { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { readBytes } from "./body-bytes.js";
import { measureJson, type ParsedJson, parseJson, withWrittenTexts } from "./parse-json.js";

declare module "fastify" {
  interface FastifyInstance {
    /** Absent: large bodies are parsed as small ones are. */
    parseLargeJson?: ParseLargeJson;
  }
}

/**
 * Measures and parses a body outside the event loop.
 * @param bytes are transferred: unusable afterwards
 * @throws {GgufdError} `invalid_json`
 */
export type ParseLargeJson = (bytes: Uint8Array, written: readonly string[]) => Promise<ParsedJson>;

/** Measuring, parsing and reading so many values takes milliseconds each: between them, others get their turn. */
const MANY_VALUES = 4000;

/** Size of a body from which on it is parsed outside the event loop; below it, handing it over takes longer than parsing. */
const LARGE_BYTES = 256 * 1024;

export interface JsonBodies {
  /** `*`: any content type; `curl -d` declares a form. */
  readonly contentType: "application/json" | "*";
  /** Names of members whose objects keep the text that they were written in (`writtenText`). */
  readonly written: readonly string[];
}

/** Has the large bodies of an application be parsed outside the event loop. */
export function setLargeJsonParser(app: FastifyInstance, parse: ParseLargeJson): void {
  app.decorate("parseLargeJson", parse);
}

/**
 * Parses the JSON bodies of a scope, and no others. An empty body becomes `undefined`, which the schemas
 * reject.
 */
export function readJsonBodies(
  scope: FastifyInstance,
  { contentType = "application/json", written = [] }: Partial<JsonBodies> = {},
): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(contentType, async (request: FastifyRequest, body: Readable) => {
    const bytes = await readBytes(request, body);
    if (bytes.length === 0) return undefined;
    const { parseLargeJson } = scope;
    if (parseLargeJson === undefined || bytes.length <= LARGE_BYTES) {
      return parseInTurns(bytes, written);
    }
    const value = withWrittenTexts(await parseLargeJson(bytes, written));
    // Copying it from the thread has taken milliseconds.
    await nextTurn();
    return value;
  });
}

async function parseInTurns(bytes: Uint8Array, written: readonly string[]): Promise<unknown> {
  const isLarge = measureJson(bytes).values > MANY_VALUES;
  if (isLarge) await nextTurn();
  const value = withWrittenTexts(parseJson(bytes, written));
  if (isLarge) await nextTurn();
  return value;
}
