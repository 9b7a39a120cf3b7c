import type { ApiKey } from "../../core/api-keys.js";
import { StartupError } from "../../core/startup-error.js";
import { preview } from "../../validation/preview.js";
import { attributes, joined, type KeyAttributes } from "./attributes.js";
import { apiKeyOf, readKey } from "./parse-key.js";

/** What may be repeated in a message: anything else behind a key could be a part of it. */
const ATTRIBUTE_LIKE = /^[a-z-]{1,32}$/;

/**
 * A line of the key file: a key, or `sha256:` and its hash, and behind it attributes as `name=value`.
 * @param line without white space around it
 * @param place of the line, for messages, which never have the key
 * @throws {StartupError}
 */
export function parseKeyLine(line: string, place: string): ApiKey {
  const [written = "", ...fields] = line.split(/\s+/);
  if (Object.keys(attributes).some((name) => written.startsWith(`${name}=`))) {
    throw new StartupError(`${place}: expected the key first, got an attribute`);
  }
  const key = readKey(written);
  if ("wrong" in key) throw new StartupError(`${place}: key: ${key.wrong}`);
  return apiKeyOf(key.sha256, parseAttributes(fields, place));
}

function parseAttributes(fields: readonly string[], place: string): KeyAttributes {
  const seen = new Set<string>();
  const parts = fields.map((field, index) => {
    const [name = "", ...rest] = field.split("=");
    if (rest.length === 0 || !ATTRIBUTE_LIKE.test(name)) {
      throw new StartupError(
        `${place}: field ${index + 2}: expected an attribute as NAME=VALUE, got something else`,
      );
    }
    if (seen.has(name)) throw new StartupError(`${place}: ${name}: expected once, got twice`);
    seen.add(name);
    return parseAttribute(name, rest.join("="), `${place}: `);
  });
  return joined(parts);
}

/**
 * @param origin of the attribute, for messages: `keys: line 2: ` or `--`
 * @throws {StartupError}
 */
export function parseAttribute(
  name: string,
  value: string,
  origin: string,
): Partial<KeyAttributes> {
  const attribute = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
  if (attribute === undefined) {
    const known = Object.keys(attributes).join(", ");
    throw new StartupError(`${origin}${name}: expected one of ${known}`);
  }
  const read = attribute.read(value);
  if (read !== undefined) return read;
  throw new StartupError(`${origin}${name}: expected ${attribute.expected}, got ${preview(value)}`);
}
