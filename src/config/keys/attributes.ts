import { type ApiKey, type KeyLimits, type Scope, scopes } from "../../core/api-keys.js";

/** What a line of the key file may say about its key; what is absent has its default. */
export interface KeyAttributes
  extends Partial<Pick<ApiKey, "name" | "scopes" | "access" | "weight">> {
  readonly limits: KeyLimits;
}

/** One attribute: how it is written, and what it means. */
export interface Attribute {
  readonly placeholder: string;
  readonly help: string;
  readonly expected: string;
  /** `undefined`: the value is not one of those expected. */
  readonly read: (value: string) => Partial<KeyAttributes> | undefined;
}

/** Words that are safe in logs, labels of metrics and messages. */
const NAME = /^[A-Za-z0-9][\w.@-]{0,63}$/;
const MOST_REQUESTS = 1_000_000;
const MOST_TOKENS = 1_000_000_000;
const MOST_CONCURRENT = 100_000;
const LEAST_WEIGHT = 0.01;
const MOST_WEIGHT = 100;
const ACCESS = ["full", "read-only"] as const;

/** The attributes of a key, by the names that they have in the key file and as flags of `ggufd key`. */
export const attributes: Readonly<Record<string, Attribute>> = {
  name: {
    placeholder: "NAME",
    help: "what logs and metrics call the key (default: key- and the beginning of its hash)",
    expected: "1 to 64 letters, digits, -, _, . or @, a letter or digit first",
    read: (name) => (NAME.test(name) ? { name } : undefined),
  },
  scopes: {
    placeholder: "LIST",
    help: `what the key permits, of ${scopes.join(",")} (default: all)`,
    expected: `one or more of ${scopes.join(", ")}, with commas between them`,
    read: (list) => {
      const names = list.split(",");
      const isValid = names.every(isScope) && new Set(names).size === names.length;
      return isValid ? { scopes: names.filter(isScope) } : undefined;
    },
  },
  access: {
    placeholder: ACCESS.join("|"),
    help: "read-only: GET and HEAD (default: full)",
    expected: `one of ${ACCESS.join(", ")}`,
    read: (value) => {
      const access = ACCESS.find((known) => known === value);
      return access && { access };
    },
  },
  "requests-per-minute": limit("requestsPerMinute", MOST_REQUESTS, "requests in a minute"),
  "tokens-per-minute": limit(
    "tokensPerMinute",
    MOST_TOKENS,
    "prompt tokens and generated tokens in a minute",
  ),
  concurrent: limit("concurrentRequests", MOST_CONCURRENT, "requests that ask a model at once"),
  weight: {
    placeholder: "N",
    help: "turns of its requests for one of a key of weight 1 (default: 1)",
    expected: `a number from ${LEAST_WEIGHT} to ${MOST_WEIGHT}`,
    read: (value) => {
      const weight = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
      return weight >= LEAST_WEIGHT && weight <= MOST_WEIGHT ? { weight } : undefined;
    },
  },
};

function limit(field: keyof KeyLimits, most: number, of: string): Attribute {
  return {
    placeholder: "N",
    help: `most ${of} (default: not limited)`,
    expected: `an integer from 1 to ${most}`,
    read: (value) => {
      const count = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
      return count >= 1 && count <= most ? { limits: { [field]: count } } : undefined;
    },
  };
}

function isScope(name: string): name is Scope {
  return (scopes as readonly string[]).includes(name);
}

/** Attributes together: limits add up. */
export function joined(parts: readonly Partial<KeyAttributes>[]): KeyAttributes {
  const limits = Object.assign({}, ...parts.map((part) => part.limits)) as KeyLimits;
  return { ...Object.assign({}, ...parts), limits };
}
