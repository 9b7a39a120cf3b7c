import type { FastifyInstance } from "fastify";
import { GgufdError } from "../core/errors.js";
import { DEEPEST_JSON, nestingOf } from "../core/json-nesting.js";
import { reasonOf } from "../core/reason-of.js";

/** Reads JSON bodies, and no others. An empty body is `undefined`: the schemas refuse it. */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>(
    "application/json",
    { parseAs: "buffer" },
    async (_request: unknown, bytes: Buffer) => parseJson(bytes),
  );
}

/**
 * Keys such as `__proto__` are plain keys here: `JSON.parse` gives them no meaning, and the schemas
 * take over named fields only.
 * @throws {GgufdError} `invalid_json` for what is no UTF-8 (RFC 8259, section 8.1), no JSON, or nested too
 *   deep.
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
