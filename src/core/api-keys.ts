import type { ModelRights } from "./model-rights.js";

/** Permissions of a key, in addition to listing models. */
export const scopes = ["inference", "batches", "tools", "todos", "admin"] as const;

export type Scope = (typeof scopes)[number];

/**
 * Budgets of a key or of a group of keys, which are renewed at 00:00 UTC of a day and of the first
 * day of a month; an absent budget means unlimited. Requests that use no model are not counted.
 */
export interface Budgets {
  readonly requestsPerDay?: number;
  readonly requestsPerMonth?: number;
  /** Prompt tokens and generated tokens. */
  readonly tokensPerDay?: number;
  readonly tokensPerMonth?: number;
}

/** Whether there is a budget among the limits. */
export function hasBudget(limits: Budgets): boolean {
  return budgetRows.some(({ field }) => limits[field] !== undefined);
}

/** The budgets, with their quantities and periods. */
export const budgetRows = [
  { field: "requestsPerDay", unit: "requests", period: "day" },
  { field: "requestsPerMonth", unit: "requests", period: "month" },
  { field: "tokensPerDay", unit: "tokens", period: "day" },
  { field: "tokensPerMonth", unit: "tokens", period: "month" },
] as const satisfies readonly {
  field: keyof Budgets;
  unit: "requests" | "tokens";
  period: "day" | "month";
}[];

/** Limits of a key; an absent limit means unlimited. */
export interface KeyLimits extends Budgets {
  readonly requestsPerMinute?: number;
  /** Prompt tokens and generated tokens. */
  readonly tokensPerMinute?: number;
  /** Concurrent requests to a model. */
  readonly concurrentRequests?: number;
}

/** Keys that share budgets. */
export interface KeyGroup {
  readonly name: string;
  readonly budgets: Budgets;
}

/** API key as stored by the server, which keeps the hash instead of the key. */
export interface ApiKey extends ModelRights {
  /** SHA-256 of the key, as 64 lower-case hexadecimal digits. */
  readonly sha256: string;
  /** Name shown in logs, metrics and messages; unique per key, and never the key itself. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** `read-only`: permits GET and HEAD only. */
  readonly access: "full" | "read-only";
  readonly limits: KeyLimits;
  /** Name of the group whose budgets apply in addition to those of the key; absent: none. */
  readonly group?: string;
  /** Fair share relative to a key of weight 1; positive. */
  readonly weight: number;
  /** Whether its requests are in the log of prompts and answers, if there is one. @default "on" */
  readonly contentLog?: "on" | "off";
  /** Attributes as in the key file, by name; absent ones have their defaults. @default none */
  readonly written?: Readonly<Record<string, string>>;
  /** Flag, or file and line, that defines the key; absent: the key store. */
  readonly location?: string;
}

/** Value that a key had before it was rotated. */
export interface FormerValue {
  readonly sha256: string;
  /** Time until which the value is accepted, in milliseconds since 1970. */
  readonly until: number;
}

/** Key of the key store, with the facts that decide whether it is accepted. */
export interface ManagedKey {
  readonly key: ApiKey;
  readonly state: "enabled" | "disabled";
  /** In milliseconds since 1970; absent: never. */
  readonly expiresAt?: number | undefined;
  /** Oldest first. */
  readonly former: readonly FormerValue[];
}

/** Whether a key may manage the keys of the server. */
export function mayManageKeys({ scopes, access }: Pick<ApiKey, "scopes" | "access">): boolean {
  return access === "full" && scopes.includes("admin");
}

/** Permissions of a client: those of an API key, or of an identity that presents no key. */
export type Permissions = Omit<ApiKey, "sha256">;

/** Access that a route requires; described in docs/keys.md. */
export type RouteAccess =
  | { readonly needs: "nothing" }
  /** Any API key of the server. */
  | { readonly needs: "a-key" }
  | {
      readonly needs: Scope;
      /** `model`: the request counts against the key's tokens and concurrent requests. */
      readonly asks: "model" | "server";
    };

/** Request with the key that it presented; `undefined`: the server has no keys. */
export interface KeyHolder {
  readonly keyUse: { readonly key: Pick<ApiKey, "scopes" | "access"> } | undefined;
}

/** Whether a request may see what only operators may see: with a key of the scope `admin`, if any. */
export function isFromOperator({ keyUse }: KeyHolder): boolean {
  return keyUse === undefined || keyUse.key.scopes.includes("admin");
}

/** Whether a request may change the models: with a writing key of the scope `admin`, if any. */
export function mayChangeModels(holder: KeyHolder): boolean {
  return isFromOperator(holder) && (holder.keyUse?.key.access ?? "full") === "full";
}

/** Whether a request may list and call the tools of MCP servers. */
export function mayCallTools({ keyUse }: KeyHolder): boolean {
  return keyUse === undefined || keyUse.key.scopes.includes("tools");
}

/** Access levels of routes. */
export const access = {
  open: { needs: "nothing" },
  anyKey: { needs: "a-key" },
  /** Routes that query a model or return its earlier answers. */
  inference: { needs: "inference", asks: "server" },
  /** Routes for which a model computes the answer. */
  answer: { needs: "inference", asks: "model" },
  /** Routes of stored files and batches, whose lines need `inference` as well. */
  batches: { needs: "batches", asks: "server" },
  todos: { needs: "todos", asks: "server" },
  /** Routes that show a client the activity of others, or change it. */
  admin: { needs: "admin", asks: "server" },
  /** Routes that list the tools of MCP servers; calling them needs the same scope. */
  tools: { needs: "tools", asks: "server" },
} as const satisfies Record<string, RouteAccess>;
