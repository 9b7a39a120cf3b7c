import { GgufdError } from "../core/errors.js";
import { formatReason } from "../core/format-reason.js";
import { keepText } from "../core/json.js";
import { JSON_LIMITS, type JsonSize, measureJsonSize } from "../core/json-size.js";
import { findMemberTexts } from "./member-texts.js";

/**
 * Limits of a JSON body. Parsing and validation take time per value and block the event loop; five
 * thousand messages fit within the limits. Numbers and white space are never legitimately longer
 * than `longestScalar`, and could take seconds to parse.
 */
const LIMITS: JsonSize = { ...JSON_LIMITS, longestScalar: 4096 };

/**
 * A parsed body. Supports structured cloning: the objects in `texts` are those in `value`, also in
 * a clone.
 */
export interface ParsedJson {
  readonly value: unknown;
  /** Objects with their source text. */
  readonly texts: readonly (readonly [object: object, text: string])[];
}

/**
 * Measures a body before it is parsed.
 * @throws {GgufdError} `invalid_json` for a body beyond the limits
 */
export function measureJson(bytes: Uint8Array): JsonSize {
  const size = measureJsonSize(bytes, LIMITS);
  rejectExcess(size);
  return size;
}

/**
 * Parses a body. Keys such as `__proto__` are harmless: `JSON.parse` creates them as own
 * properties, and the schemas copy only declared fields.
 * @param memberNames names of members whose objects keep their source text
 * @throws {GgufdError} `invalid_json` for input that is not UTF-8 (RFC 8259, section 8.1) or not
 *   JSON
 */
export function parseJson(bytes: Uint8Array, memberNames: readonly string[]): ParsedJson {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    return {
      value,
      texts: memberNames.length > 0 ? findMemberTexts(value, text, new Set(memberNames)) : [],
    };
  } catch (cause) {
    throw new GgufdError("invalid_json", `body: expected JSON: ${formatReason(cause)}.`, { cause });
  }
}

/** The value of a parsed body, with the source texts attached to its objects (`toJsonText`). */
export function attachSourceTexts({ value, texts }: ParsedJson): unknown {
  for (const [object, text] of texts) keepText(object, text);
  return value;
}

/**
 * @throws {GgufdError} `invalid_json` for excessive nesting, too many values or members, or an
 *   overlong number
 */
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
      `body: expected at most ${LIMITS.longestScalar} bytes per number or run of white space, got more.`,
    );
  }
}
