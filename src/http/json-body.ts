import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { GgufdError } from "../core/errors.js";
import { JSON_LIMITS, type JsonSize, jsonSizeOf } from "../core/json-size.js";
import { reasonOf } from "../core/reason-of.js";
import { keepMemberTexts } from "./written-members.js";

/**
 * Limits of a body. Parsing and validating cost time per value rather than per byte, and nothing else is
 * served meanwhile: five thousand messages fit. No number, and no white space between two values, is legitimately
 * that long; parsing it would take seconds.
 */
const LIMITS: JsonSize = { ...JSON_LIMITS, longestScalar: 4096 };

/** Measuring, parsing and reading so many values takes milliseconds each: between them, others get their turn. */
const MANY_VALUES = 4000;

export interface JsonBodies {
  /** `*`: any content type; `curl -d` declares a form. */
  readonly contentType: "application/json" | "*";
  /** Names of members whose objects keep the text that they were written in (`writtenText`). */
  readonly written: readonly string[];
}

/**
 * Parses the JSON bodies of a scope, and no others. An empty body becomes `undefined`, which the schemas
 * reject.
 */
export function readJsonBodies(
  scope: FastifyInstance,
  { contentType = "application/json", written = [] }: Partial<JsonBodies> = {},
): void {
  const names = new Set(written);
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser<Buffer>(
    contentType,
    { parseAs: "buffer" },
    async (_request: unknown, bytes: Buffer) => {
      if (bytes.length === 0) return undefined;
      const size = jsonSizeOf(bytes, LIMITS);
      rejectExcess(size);
      const isLarge = size.values > MANY_VALUES;
      if (isLarge) await nextTurn();
      const value = parseJson(bytes, names);
      if (isLarge) await nextTurn();
      return value;
    },
  );
}

/** @throws {GgufdError} `invalid_json` for what is nested too deeply, has too many values or members, or an endless number */
function rejectExcess({ depth, values, members, longestScalar }: JsonSize): void {
  if (depth > LIMITS.depth) {
    throw new GgufdError(
      "invalid_json",
      `body: expected at most ${LIMITS.depth} levels of nesting, got more.`,
    );
  }
  if (values > LIMITS.values) {
    throw new GgufdError(
      "invalid_json",
      `body: expected at most ${LIMITS.values} values, got more.`,
    );
  }
  if (members > LIMITS.members) {
    throw new GgufdError(
      "invalid_json",
      `body: expected at most ${LIMITS.members} members of an object, got more.`,
    );
  }
  if (longestScalar > LIMITS.longestScalar) {
    throw new GgufdError(
      "invalid_json",
      `body: expected numbers and white space of at most ${LIMITS.longestScalar} bytes, got more.`,
    );
  }
}

/**
 * Keys such as `__proto__` are harmless: `JSON.parse` creates them as own properties, and the
 * schemas copy declared fields only.
 * @throws {GgufdError} `invalid_json` for input that is not UTF-8 (RFC 8259, section 8.1), or not JSON
 */
function parseJson(bytes: Uint8Array, written: ReadonlySet<string>): unknown {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    if (written.size > 0) keepMemberTexts(value, text, written);
    return value;
  } catch (cause) {
    throw new GgufdError("invalid_json", `body: expected JSON: ${reasonOf(cause)}.`, { cause });
  }
}
