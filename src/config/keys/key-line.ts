import { createHash } from "node:crypto";
import { type ApiKey, type KeyLimits, type Scope, scopes } from "../../core/api-keys.js";
import { StartupError } from "../../core/startup-error.js";
import { preview } from "../../validation/preview.js";

/** Names that a message may repeat: any other text after a key could be a part of the key. */
const ATTRIBUTE_LIKE = /^[a-z-]{1,32}$/;

/**
 * Parses a line of the key file: a key, or `sha256:` and its hash, followed by attributes as
 * `name=value`.
 * @param line without surrounding white space
 * @param location flag, or file and line, for messages, which never contain the key
 * @throws {StartupError}
 */
export function parseKeyLine(line: string, location: string): ApiKey {
  const [keyField = "", ...fields] = line.split(/\s+/);
  if (Object.keys(attributes).some((name) => keyField.startsWith(`${name}=`))) {
    throw new StartupError(`${location}: expected the key first, got an attribute`);
  }
  const key = readKey(keyField);
  if ("problem" in key) throw new StartupError(`${location}: key: ${key.problem}`);
  return buildApiKey(key.sha256, parseAttributes(fields, location));
}

function parseAttributes(fields: readonly string[], location: string): KeyAttributes {
  const seen = new Set<string>();
  const parts = fields.map((field, index) => {
    const [name = "", ...valueParts] = field.split("=");
    if (valueParts.length === 0 || !ATTRIBUTE_LIKE.test(name)) {
      throw new StartupError(
        `${location}: field ${index + 2}: expected an attribute as NAME=VALUE`,
      );
    }
    if (seen.has(name)) throw new StartupError(`${location}: ${name}: expected once, got twice`);
    seen.add(name);
    return parseAttribute(name, valueParts.join("="), `${location}: `);
  });
  return mergeAttributes(parts);
}

/**
 * @param origin prefix for messages: `keys: line 2: ` or `--`
 * @throws {StartupError}
 */
export function parseAttribute(
  name: string,
  value: string,
  origin: string,
): Partial<KeyAttributes> {
  const attribute = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
  if (attribute === undefined) {
    const knownNames = Object.keys(attributes).join(", ");
    throw new StartupError(`${origin}${name}: expected one of ${knownNames}`);
  }
  const parsedAttribute = attribute.read(value);
  if (parsedAttribute !== undefined) return parsedAttribute;
  throw new StartupError(`${origin}${name}: expected ${attribute.expected}, got ${preview(value)}`);
}

/** Prefix of a hash in place of a key in the key file. */
export const HASH_PREFIX = "sha256:";
/** Longer than any generated key, and short enough for a request's header lines. */
const MAX_KEY_CHARACTERS = 1024;
/** Number of hash digits in the default name of a key; too few to identify the key. */
const NAME_DIGITS = 8;

/**
 * Hash of a key, or the reason why the key is invalid: what was expected and what was received,
 * without the key.
 */
export type ReadKey = { readonly sha256: string } | { readonly problem: string };

/**
 * Reads a key, or the hash of one. A key consists of visible ASCII characters: a header cannot
 * carry others unchanged (RFC 9110, section 5.5), so no client could present them.
 */
export function readKey(keyText: string): ReadKey {
  if (keyText.startsWith(HASH_PREFIX)) {
    const digits = keyText.slice(HASH_PREFIX.length).toLowerCase();
    if (/^[\da-f]{64}$/.test(digits)) return { sha256: digits };
    return { problem: `expected 64 hexadecimal digits after ${HASH_PREFIX}` };
  }
  if (keyText === "" || keyText.length > MAX_KEY_CHARACTERS) {
    return { problem: `expected 1 to ${MAX_KEY_CHARACTERS} characters, got ${keyText.length}` };
  }
  const index = keyText.search(/[^!-~]/);
  if (index < 0) return { sha256: computeKeyHash(keyText) };
  const point = keyText.codePointAt(index)?.toString(16).toUpperCase().padStart(4, "0");
  return {
    problem: `expected visible ASCII characters, got U+${point} as character ${index + 1}`,
  };
}

/** SHA-256 as hexadecimal digits. */
export function computeKeyHash(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/** Creates a key with its attributes, and defaults for absent ones. */
export function buildApiKey(sha256: string, attributes: Partial<KeyAttributes> = {}): ApiKey {
  return {
    sha256,
    name: `key-${sha256.slice(0, NAME_DIGITS)}`,
    scopes,
    access: "full",
    weight: 1,
    limits: {},
    ...attributes,
  };
}

/** Attributes of a key in a line of the key file; absent ones have their defaults. */
export interface KeyAttributes
  extends Partial<Pick<ApiKey, "name" | "scopes" | "access" | "weight">> {
  readonly limits: KeyLimits;
}

/** Syntax and meaning of an attribute. */
export interface Attribute {
  readonly placeholder: string;
  readonly help: string;
  readonly expected: string;
  /** Parses a value; `undefined` if it is invalid. */
  readonly read: (value: string) => Partial<KeyAttributes> | undefined;
}

/** Names that are safe in logs, metric labels and messages. */
const NAME = /^[A-Za-z0-9][\w.@-]{0,63}$/;
const MAX_REQUESTS_PER_MINUTE = 1_000_000;
const MAX_TOKENS_PER_MINUTE = 1_000_000_000;
const MAX_CONCURRENT_REQUESTS = 100_000;
const MIN_WEIGHT = 0.01;
const MAX_WEIGHT = 100;
const ACCESS = ["full", "read-only"] as const;

/** Attributes of a key, by their names in the key file and as flags of `ggufd key`. */
export const attributes: Readonly<Record<string, Attribute>> = {
  name: {
    placeholder: "NAME",
    help: "name in logs and metrics (default: key- and the start of its hash)",
    expected: "1 to 64 letters, digits, -, _, . or @, a letter or digit first",
    read: (name) => (NAME.test(name) ? { name } : undefined),
  },
  scopes: {
    placeholder: "LIST",
    help: `comma-separated scopes: ${scopes.join(",")} (default: all)`,
    expected: `one or more of ${scopes.join(", ")}, with commas between them`,
    read: (list) => {
      const names = list.split(",");
      const isValid = names.every(isScope) && new Set(names).size === names.length;
      return isValid ? { scopes: names.filter(isScope) } : undefined;
    },
  },
  access: {
    placeholder: ACCESS.join("|"),
    help: "read-only permits GET and HEAD (default: full)",
    expected: `one of ${ACCESS.join(", ")}`,
    read: (value) => {
      const access = ACCESS.find((known) => known === value);
      return access && { access };
    },
  },
  "requests-per-minute": limit("requestsPerMinute", MAX_REQUESTS_PER_MINUTE, "requests per minute"),
  "tokens-per-minute": limit(
    "tokensPerMinute",
    MAX_TOKENS_PER_MINUTE,
    "prompt and generated tokens per minute",
  ),
  concurrent: limit("concurrentRequests", MAX_CONCURRENT_REQUESTS, "concurrent requests"),
  weight: {
    placeholder: "N",
    help: "share of the slots relative to other keys (default: 1)",
    expected: `a number from ${MIN_WEIGHT} to ${MAX_WEIGHT}`,
    read: (value) => {
      const weight = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
      return weight >= MIN_WEIGHT && weight <= MAX_WEIGHT ? { weight } : undefined;
    },
  },
};

function limit(field: keyof KeyLimits, max: number, quantity: string): Attribute {
  return {
    placeholder: "N",
    help: `maximum ${quantity} (default: no limit)`,
    expected: `an integer from 1 to ${max}`,
    read: (value) => {
      const count = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
      return count >= 1 && count <= max ? { limits: { [field]: count } } : undefined;
    },
  };
}

function isScope(name: string): name is Scope {
  return (scopes as readonly string[]).includes(name);
}

/** Merges attributes; limits are merged one by one. */
function mergeAttributes(parts: readonly Partial<KeyAttributes>[]): KeyAttributes {
  const limits = Object.assign({}, ...parts.map((part) => part.limits)) as KeyLimits;
  return { ...Object.assign({}, ...parts), limits };
}
