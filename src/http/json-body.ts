import type { FastifyInstance } from "fastify";
import { GgufdError } from "../core/errors.js";
import { jsonSizeOf, MAX_JSON_DEPTH } from "../core/json-size.js";
import { reasonOf } from "../core/reason-of.js";

/**
 * Maximum number of values in a body: ten thousand messages fit. Parsing and validating cost time per
 * value rather than per byte, and nothing else is served meanwhile.
 */
const MAX_JSON_VALUES = 40_000;

/** A number, or the white space between two values, is never as long; parsing it would take seconds. */
const MAX_SCALAR_BYTES = 4096;

/** Parses JSON bodies only. An empty body becomes `undefined`, which the schemas reject. */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>(
    "application/json",
    { parseAs: "buffer" },
    async (_request: unknown, bytes: Buffer) => parseJson(bytes),
  );
}

/**
 * Keys such as `__proto__` are harmless: `JSON.parse` creates them as own properties, and the
 * schemas copy declared fields only.
 * @throws {GgufdError} `invalid_json` for input that is not UTF-8 (RFC 8259, section 8.1), not
 *   JSON, nested too deeply, of too many values, or with an endless number
 */
function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  const { depth, values, longestScalar } = jsonSizeOf(bytes);
  if (depth > MAX_JSON_DEPTH) {
    throw new GgufdError(
      "invalid_json",
      `body: expected at most ${MAX_JSON_DEPTH} levels of nesting, got more.`,
    );
  }
  if (values > MAX_JSON_VALUES) {
    throw new GgufdError(
      "invalid_json",
      `body: expected at most ${MAX_JSON_VALUES} values, got ${values}.`,
    );
  }
  if (longestScalar > MAX_SCALAR_BYTES) {
    throw new GgufdError(
      "invalid_json",
      `body: expected numbers and white space of at most ${MAX_SCALAR_BYTES} bytes, got ${longestScalar}.`,
    );
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new GgufdError("invalid_json", `body: expected JSON: ${reasonOf(cause)}.`, { cause });
  }
}
