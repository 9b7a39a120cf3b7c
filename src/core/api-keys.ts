/** What a key permits, beside reading which models there are. */
export const scopes = ["inference", "todos", "admin"] as const;

export type Scope = (typeof scopes)[number];

/** How much a key may ask for; what is absent is not limited. */
export interface KeyLimits {
  readonly requestsPerMinute?: number;
  /** Prompt tokens and generated ones. */
  readonly tokensPerMinute?: number;
  /** Requests that ask a model at once. */
  readonly concurrentRequests?: number;
}

/** An API key as the server knows it: not the key itself, but its hash. */
export interface ApiKey {
  /** Of the key, as 64 lower-case hexadecimal digits. */
  readonly sha256: string;
  /** Never the key; different for each key. In logs, metrics and messages. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** `read-only`: GET and HEAD. */
  readonly access: "full" | "read-only";
  readonly limits: KeyLimits;
  /** Turns that its requests get for one of a key of weight 1; positive. */
  readonly weight: number;
}

/** The key that a route requires; docs/keys.md describes it. */
export type RouteAccess =
  | { readonly needs: "nothing" }
  /** Any key of the server. */
  | { readonly needs: "a-key" }
  | {
      readonly needs: Scope;
      /** `model`: it counts against the tokens and the concurrent requests of a key. */
      readonly asks: "model" | "server";
    };

/** What routes require. */
export const access = {
  open: { needs: "nothing" },
  anyKey: { needs: "a-key" },
  /** What asks a model, or has what it answered. */
  inference: { needs: "inference", asks: "server" },
  /** The same, where a model works for the answer. */
  answer: { needs: "inference", asks: "model" },
  todos: { needs: "todos", asks: "server" },
  /** What shows one client what others are doing, or changes that. */
  admin: { needs: "admin", asks: "server" },
} as const satisfies Record<string, RouteAccess>;
