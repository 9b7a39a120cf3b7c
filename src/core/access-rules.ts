import type { ApiKey } from "./api-keys.js";
import { isJsonObject } from "./json.js";

/** Statements about a client: the payload of a token, or the user and groups of a proxy. */
export type Claims = Readonly<Record<string, unknown>>;

/** Permissions that a rule grants; the client is named by its identity. */
export type Grant = Omit<ApiKey, "sha256" | "name">;

/** Rule of the access rules file. */
export interface AccessRule {
  /** Absent: the rule applies to every identity. */
  readonly condition?: {
    /** Name of a claim, or a path of names with dots: `realm_access.roles`. */
    readonly claim: string;
    /** The claim's value, or one of its values if it is a list. */
    readonly value: string;
  };
  readonly outcome: { readonly type: "deny" } | { readonly type: "grant"; readonly grant: Grant };
}

/** Finds the rule that decides about an identity: the first one that applies. */
export function findRule(rules: readonly AccessRule[], claims: Claims): AccessRule | undefined {
  return rules.find(
    ({ condition }) =>
      condition === undefined || listValues(claims, condition.claim).includes(condition.value),
  );
}

/**
 * Lists the values of a claim as texts. A claim whose name contains dots, such as a URL, has
 * precedence over a path. Objects are not values.
 */
export function listValues(claims: Claims, claim: string): readonly string[] {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : readPath(claims, claim.split("."));
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.flatMap((one) =>
    ["string", "number", "boolean"].includes(typeof one) ? [String(one)] : [],
  );
}

function readPath(claims: Claims, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    claims,
  );
}
