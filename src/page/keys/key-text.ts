import type { AuditObject, KeyObject } from "../../api/keys/answer.js";
import type { Scope } from "../../core/api-keys.js";

/** Scopes with their descriptions. */
export const SCOPES: Readonly<Record<Scope, string>> = {
  inference: "Inference: chat and all other uses of models",
  batches: "Batches: files and batches",
  tools: "Tools: MCP servers",
  todos: "To-dos",
  admin: "Administration: metrics, models and API keys",
};

/** Fields of a key that are not attributes. */
const FIXED_FIELDS: ReadonlySet<string> = new Set([
  ...["id", "object", "name", "source", "redacted_value", "created_at", "created_by"],
  ...["last_used_at", "expires_at", "previous_value_expires_at", "disabled"],
]);

/** Values of attributes that restrict nothing. */
const DEFAULTS: Readonly<Record<string, unknown>> = { access: "full", weight: 1 };

/** @param now in seconds since 1970 */
export function stateOf(
  { disabled, expires_at: expiresAt }: Pick<KeyObject, "disabled" | "expires_at">,
  now: number,
): "enabled" | "disabled" | "expired" {
  if (disabled) return "disabled";
  return expiresAt !== null && expiresAt <= now ? "expired" : "enabled";
}

/** `store` → `managed here` */
export function describeSource({ source }: Pick<KeyObject, "source">): string {
  switch (source) {
    case "store":
      return "managed here";
    case "file":
      return "key file";
    case "flag":
      return "configuration";
  }
}

/**
 * Lists the properties of a key that differ from their defaults.
 * @param formatTime prints a time in seconds since 1970
 */
export function listFacts(
  key: KeyObject,
  formatTime: (seconds: number) => string,
): readonly (readonly [term: string, text: string])[] {
  const attributes = Object.entries(key).filter(
    ([field, value]) => !FIXED_FIELDS.has(field) && value !== null && value !== DEFAULTS[field],
  );
  const times = [
    ["Created", key.created_at, key.created_by === null ? "" : ` by ${key.created_by}`],
    ["Last used", key.last_used_at, ""],
    ["Expires", key.expires_at, ""],
    ["Previous value accepted until", key.previous_value_expires_at, ""],
  ] as const;
  return [
    ...(key.redacted_value === null ? [] : ([["Value", key.redacted_value]] as const)),
    ...attributes.map(([field, value]) => [labelOf(field), printValue(value)] as const),
    ...times.flatMap(([term, seconds, addition]) =>
      seconds === null ? [] : [[term, formatTime(seconds) + addition] as const],
    ),
  ];
}

/** `requests_per_minute` → `Requests per minute` */
export function labelOf(field: string): string {
  const words = field.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function printValue(value: unknown): string {
  return Array.isArray(value) ? value.join(", ") || "none" : String(value);
}

const ACTIONS = {
  "api_key.created": "created",
  "api_key.updated": "changed",
  "api_key.rotated": "rotated",
  "api_key.deleted": "deleted",
} as const satisfies Record<AuditObject["type"], string>;

/** `root created alice` */
export function describeEntry({ actor, type, key }: AuditObject): string {
  return `${actor.name} ${ACTIONS[type]} ${key}`;
}

/** `Concurrent: 1 → 4`, one text for each changed setting. */
export function listChanges({ before, after }: AuditObject): readonly string[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return fields.map((field) => {
    const values = [before?.[field], after?.[field]].filter((value) => value !== undefined);
    return `${labelOf(field)}: ${values.map(printSetting).join(" → ")}`;
  });
}

function printSetting(value: unknown): string {
  return value === null ? "none" : printValue(value);
}
