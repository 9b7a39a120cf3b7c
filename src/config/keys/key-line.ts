import { createHash } from "node:crypto";
import { z } from "zod";
import {
  type ApiKey,
  type KeyGroup,
  type KeyLimits,
  type Scope,
  scopes,
} from "../../core/api-keys.js";
import { MAX_PRIORITY } from "../../core/generation-request.js";
import type { ModelRights } from "../../core/model-rights.js";
import { StartupError } from "../../core/startup-error.js";
import { integerBetween, numberBetween, oneOf } from "../../validation/fields.js";
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
  const written = splitAttributes(fields, location);
  return { ...buildWrittenKey(key.sha256, written, `${location}: `), location };
}

/** Prefix of a line of the key file that sets the budgets of a group. */
export const GROUP_PREFIX = "group:";

/**
 * Parses a line of the key file that begins with {@link GROUP_PREFIX}: the name of a group, followed
 * by its budgets as `name=value`.
 * @param location as of {@link parseKeyLine}
 * @throws {StartupError}
 */
export function parseGroupLine(line: string, location: string): KeyGroup {
  const [groupField = "", ...fields] = line.split(/\s+/);
  const name = groupField.slice(GROUP_PREFIX.length);
  if (!KEY_NAME.test(name)) {
    throw new StartupError(`${location}: expected a group's name of ${NAME_FORM}`);
  }
  const other = fields.findIndex((field) => !budgetNames.includes(field.split("=")[0] ?? ""));
  if (other >= 0) {
    const expected = `expected a budget (${budgetNames.join(", ")}) as NAME=VALUE`;
    throw new StartupError(`${location}: field ${other + 2}: ${expected}`);
  }
  return { name, budgets: parseAttributes(fields, location).limits };
}

/**
 * Parses the attributes of a line, which are the fields after its first one.
 * @throws {StartupError}
 */
export function parseAttributes(fields: readonly string[], location: string): KeyAttributes {
  return readAttributes(splitAttributes(fields, location), `${location}: `);
}

function splitAttributes(fields: readonly string[], location: string): AttributeTexts {
  const texts = new Map<string, string>();
  for (const [index, field] of fields.entries()) {
    const [name = "", ...valueParts] = field.split("=");
    if (valueParts.length === 0 || !ATTRIBUTE_LIKE.test(name)) {
      throw new StartupError(
        `${location}: field ${index + 2}: expected an attribute as NAME=VALUE`,
      );
    }
    if (texts.has(name)) throw new StartupError(`${location}: ${name}: expected once, got twice`);
    texts.set(name, valueParts.join("="));
  }
  return Object.fromEntries(texts);
}

/** Attributes as in the key file, by name. */
export type AttributeTexts = Readonly<Record<string, string>>;

/**
 * Creates a key from attributes as in the key file.
 * @param origin prefix for messages, see {@link parseAttribute}
 * @throws {StartupError} naming the first invalid attribute
 */
export function buildWrittenKey(sha256: string, written: AttributeTexts, origin: string): ApiKey {
  return { ...buildApiKey(sha256, readAttributes(written, origin)), written };
}

function readAttributes(written: AttributeTexts, origin: string): KeyAttributes {
  const parts = Object.entries(written).map(([name, value]) => parseAttribute(name, value, origin));
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

/** Permissions of a key without attributes. */
export const defaultPermissions = {
  scopes,
  access: "full",
  weight: 1,
  limits: {},
} as const satisfies Omit<ApiKey, "sha256" | "name">;

/** Creates a key with its attributes, and defaults for absent ones. */
export function buildApiKey(sha256: string, attributes: Partial<KeyAttributes> = {}): ApiKey {
  return {
    sha256,
    name: `key-${sha256.slice(0, NAME_DIGITS)}`,
    ...defaultPermissions,
    ...attributes,
  };
}

/** Attributes of a key in a line of the key file; absent ones have their defaults. */
export interface KeyAttributes
  extends ModelRights,
    Partial<Pick<ApiKey, "name" | "scopes" | "access" | "group" | "weight" | "contentLog">> {
  readonly limits: KeyLimits;
}

/** Syntax and meaning of an attribute. */
export interface Attribute {
  readonly placeholder: string;
  readonly help: string;
  readonly expected: string;
  /** Parses a value; `undefined` if it is invalid. */
  readonly read: (value: string) => Partial<KeyAttributes> | undefined;
  /**
   * Schema of the value in JSON; absent: any that `read` accepts. The placeholder selects its type:
   * `N` a number, `LIST` an array of strings, any other one a string.
   */
  readonly json?: z.ZodType;
  /** Text of an empty array; absent: the array may not be empty. */
  readonly emptyList?: string;
}

/** Names that are safe in logs, metric labels and messages. */
export const KEY_NAME = /^[A-Za-z0-9][\w.@-]{0,63}$/;
const NAME_FORM = "1 to 64 letters, digits, -, _, . or @, a letter or digit first";
/** Name of a model or adapter, in which `*` stands for any characters. */
const PATTERN = /^[^\s,]{1,200}$/;
const PATTERN_ERROR = "expected a name of 1 to 200 characters without spaces and commas";
const MAX_PATTERNS = 100;
/** List of adapters that contains none. */
const NO_ADAPTERS = "none";
const MAX_REQUESTS_PER_MINUTE = 1_000_000;
const MAX_TOKENS_PER_MINUTE = 1_000_000_000;
const MAX_CONCURRENT_REQUESTS = 100_000;
const MAX_BUDGET = 1_000_000_000_000;
const MAX_REQUEST_TOKENS = 1_000_000_000;
const MIN_WEIGHT = 0.01;
const MAX_WEIGHT = 100;
const ACCESS = ["full", "read-only"] as const;
const CONTENT_LOG = ["on", "off"] as const;

const PATTERNS_FORM = `1 to ${MAX_PATTERNS} names or patterns with *, with commas between them`;
const PATTERNS_ERROR = `expected 1 to ${MAX_PATTERNS} names or patterns with *`;

/** Attributes of a key that a group may have, too. */
const budgets: Readonly<Record<string, Attribute>> = {
  "requests-per-day": limit("requestsPerDay", MAX_BUDGET, "requests to models per UTC day"),
  "requests-per-month": limit("requestsPerMonth", MAX_BUDGET, "requests to models per UTC month"),
  "tokens-per-day": limit("tokensPerDay", MAX_BUDGET, "prompt and generated tokens per UTC day"),
  "tokens-per-month": limit(
    "tokensPerMonth",
    MAX_BUDGET,
    "prompt and generated tokens per UTC month",
  ),
};
const budgetNames: readonly string[] = Object.keys(budgets);

/** Attributes of a key, by their names in the key file and as flags of `ggufd key`. */
export const attributes: Readonly<Record<string, Attribute>> = {
  name: {
    placeholder: "NAME",
    help: "name in logs and metrics (default: key- and the start of its hash)",
    expected: NAME_FORM,
    read: (name) => (KEY_NAME.test(name) ? { name } : undefined),
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
    json: z.array(oneOf(scopes), { error: "expected an array of scopes" }),
  },
  access: {
    placeholder: ACCESS.join("|"),
    help: "read-only permits GET and HEAD (default: full)",
    expected: `one of ${ACCESS.join(", ")}`,
    read: (value) => {
      const access = ACCESS.find((known) => known === value);
      return access && { access };
    },
    json: oneOf(ACCESS),
  },
  group: {
    placeholder: "NAME",
    help: "group of the key file whose budgets apply too (default: none)",
    expected: NAME_FORM,
    read: (group) => (KEY_NAME.test(group) ? { group } : undefined),
    json: z.string({ error: `expected ${NAME_FORM}` }).regex(KEY_NAME, `expected ${NAME_FORM}`),
  },
  "requests-per-minute": limit("requestsPerMinute", MAX_REQUESTS_PER_MINUTE, "requests per minute"),
  "tokens-per-minute": limit(
    "tokensPerMinute",
    MAX_TOKENS_PER_MINUTE,
    "prompt and generated tokens per minute",
  ),
  concurrent: limit("concurrentRequests", MAX_CONCURRENT_REQUESTS, "concurrent requests"),
  ...budgets,
  weight: {
    placeholder: "N",
    help: "share of the slots relative to other keys (default: 1)",
    expected: `a number from ${MIN_WEIGHT} to ${MAX_WEIGHT}`,
    read: (value) => {
      const weight = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
      return weight >= MIN_WEIGHT && weight <= MAX_WEIGHT ? { weight } : undefined;
    },
    json: numberBetween(MIN_WEIGHT, MAX_WEIGHT),
  },
  models: {
    placeholder: "LIST",
    help: "comma-separated names of models, with * as wildcard (default: all)",
    expected: PATTERNS_FORM,
    read: (list) => {
      const models = readPatterns(list);
      return models && { models };
    },
    json: patterns().min(1, PATTERNS_ERROR),
  },
  adapters: {
    placeholder: "LIST",
    help: `comma-separated names of adapters, with * as wildcard, or ${NO_ADAPTERS} (default: all)`,
    expected: `${PATTERNS_FORM}, or ${NO_ADAPTERS}`,
    read: (list) => {
      const adapters = list === NO_ADAPTERS ? [] : readPatterns(list);
      return adapters && { adapters };
    },
    json: patterns(),
    emptyList: NO_ADAPTERS,
  },
  "max-context": {
    ...count(MAX_REQUEST_TOKENS, "tokens of a request, prompt and answer together"),
    read: (value) => {
      const maxContext = readInteger(value, 1, MAX_REQUEST_TOKENS);
      return maxContext === undefined ? undefined : { maxContext };
    },
  },
  "max-tokens": {
    ...count(MAX_REQUEST_TOKENS, "tokens of an answer"),
    read: (value) => {
      const maxTokens = readInteger(value, 1, MAX_REQUEST_TOKENS);
      return maxTokens === undefined ? undefined : { maxTokens };
    },
  },
  "priority-ceiling": {
    placeholder: "N",
    help: "most urgent priority of a request, that is, the smallest (default: any)",
    expected: `an integer from ${-MAX_PRIORITY} to ${MAX_PRIORITY}`,
    read: (value) => {
      const priorityCeiling = readInteger(value, -MAX_PRIORITY, MAX_PRIORITY);
      return priorityCeiling === undefined ? undefined : { priorityCeiling };
    },
    json: integerBetween(-MAX_PRIORITY, MAX_PRIORITY),
  },
  "log-content": {
    placeholder: CONTENT_LOG.join("|"),
    help: "off keeps its requests out of --log-content (default: on)",
    expected: `one of ${CONTENT_LOG.join(", ")}`,
    read: (value) => {
      const contentLog = CONTENT_LOG.find((known) => known === value);
      return contentLog && { contentLog };
    },
    json: oneOf(CONTENT_LOG),
  },
};

function limit(field: keyof KeyLimits, max: number, quantity: string): Attribute {
  return {
    ...count(max, quantity),
    read: (value) => {
      const most = readInteger(value, 1, max);
      return most === undefined ? undefined : { limits: { [field]: most } };
    },
  };
}

function count(max: number, quantity: string): Omit<Attribute, "read"> {
  return {
    placeholder: "N",
    help: `maximum ${quantity} (default: no limit)`,
    expected: `an integer from 1 to ${max}`,
    json: integerBetween(1, max),
  };
}

function readInteger(text: string, min: number, max: number): number | undefined {
  const value = /^-?\d{1,13}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}

function readPatterns(list: string): readonly string[] | undefined {
  const patterns = list.split(",");
  const isValid = patterns.length <= MAX_PATTERNS && patterns.every((one) => PATTERN.test(one));
  return isValid ? patterns : undefined;
}

function patterns() {
  const pattern = z.string({ error: PATTERN_ERROR }).regex(PATTERN, PATTERN_ERROR);
  return z.array(pattern, { error: PATTERNS_ERROR }).max(MAX_PATTERNS, PATTERNS_ERROR);
}

function isScope(name: string): name is Scope {
  return (scopes as readonly string[]).includes(name);
}

/** Merges attributes; limits are merged one by one. */
function mergeAttributes(parts: readonly Partial<KeyAttributes>[]): KeyAttributes {
  const limits = Object.assign({}, ...parts.map((part) => part.limits)) as KeyLimits;
  return { ...Object.assign({}, ...parts), limits };
}
