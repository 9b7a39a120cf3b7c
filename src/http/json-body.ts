import type { FastifyInstance } from "fastify";
import { GgufdError } from "../core/errors.js";
import { DEEPEST_JSON, nestingOf } from "../core/json-nesting.js";
import { reasonOf } from "../core/reason-of.js";

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
 *   JSON, or nested too deeply
 */
function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  if (nestingOf(bytes) > DEEPEST_JSON) {
    throw new GgufdError(
      "invalid_json",
      `body: expected at most ${DEEPEST_JSON} levels of nesting, got more.`,
    );
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new GgufdError("invalid_json", `body: expected JSON: ${reasonOf(cause)}.`, { cause });
  }
}
