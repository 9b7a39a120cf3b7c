import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { KEY_PREFIX } from "../../config/keys/new-key.js";
import type { Permissions } from "../../core/api-keys.js";
import type { AuditEntry } from "../../keys/key-table.js";
import type { StoredKey } from "../../keys/stored-key.js";
import { listOf } from "../fields/lists.js";
import { answerFields, printAllAttributes, printAttributes } from "./attribute-fields.js";

const seconds = z.int().nonnegative();
const time = (description: string) => seconds.nullable().meta({ description });

const keyFields = {
  id: z.string().meta({ description: "The name of the key." }),
  object: z.literal("api_key"),
  name: z.string(),
  source: z.enum(["store", "file", "flag"]).meta({
    description: "`store`: the key is managed here. Other keys are defined by the configuration.",
  }),
  redacted_value: z.string().nullable().meta({
    description: "Prefix and last characters of the value. `null`: they are not stored.",
  }),
  created_at: time("`null`: the key is defined by the configuration."),
  created_by: z.string().nullable().meta({ description: "Name of the key that created this key." }),
  last_used_at: time("Last accepted request since the start of the server."),
  expires_at: time("`null`: the key does not expire."),
  previous_value_expires_at: time("End of the grace period of the last rotation, if it is ahead."),
  disabled: z.boolean(),
};

/** A key without its value. */
export const keyObject = z.object({ ...keyFields, ...answerFields }).meta({ id: "ApiKey" });

const valueField = z.string().meta({ description: "The key. It is not stored, or shown again." });

/** A key with its new value. */
export const valuedKeyObject = z
  .object({ ...keyFields, value: valueField, ...answerFields })
  .meta({ id: "ApiKeyWithValue" });

export const keyList = listOf(keyObject, "ApiKeyList");

export const deletedKey = z
  .object({ id: z.string(), object: z.literal("api_key.deleted"), deleted: z.literal(true) })
  .meta({ id: "DeletedApiKey" });

export type KeyObject = z.infer<z.ZodObject<typeof keyFields>> & Readonly<Record<string, unknown>>;
export type ValuedKeyObject = KeyObject & { readonly value: string };
export interface KeyList {
  readonly data: readonly KeyObject[];
  readonly has_more: boolean;
  readonly last_id: string | null;
}

/** Facts about a key that its usage and its store have. */
export interface KeyFacts {
  /** Time of the last accepted request, in milliseconds since 1970. */
  readonly lastUsedAt: number | undefined;
  /** Absent: the key is defined by the configuration. */
  readonly stored?: StoredKey | undefined;
  /** Current time, in milliseconds since 1970. */
  readonly now: number;
}

export function toKeyObject(key: Permissions, { lastUsedAt, stored, now }: KeyFacts): KeyObject {
  const graceEnds = stored?.former.map(({ until }) => until).filter((until) => until > now) ?? [];
  return {
    id: key.name,
    object: "api_key",
    name: key.name,
    source: stored === undefined ? sourceOf(key) : "store",
    redacted_value: stored === undefined ? null : redact(stored),
    created_at: toSeconds(stored?.createdAt),
    created_by: stored?.createdBy ?? null,
    last_used_at: toSeconds(lastUsedAt),
    expires_at: toSeconds(stored?.expiresAt),
    previous_value_expires_at: graceEnds.length === 0 ? null : toSeconds(Math.max(...graceEnds)),
    disabled: stored?.state === "disabled",
    ...printAllAttributes(key),
  };
}

/** Locations in the key file end with the number of the line. */
function sourceOf({ location = "" }: Permissions): "file" | "flag" {
  return /: line \d+$/.test(location) ? "file" : "flag";
}

function redact({ ending }: StoredKey): string {
  return `${KEY_PREFIX}...${ending}`;
}

const settings = z.record(z.string(), z.unknown()).nullable();

/** Entry of the audit log. */
export const auditObject = z
  .object({
    id: z.string(),
    object: z.literal("audit_log"),
    type: z.enum(["api_key.created", "api_key.updated", "api_key.rotated", "api_key.deleted"]),
    effective_at: seconds,
    actor: z.object({
      name: z.string().meta({ description: "Name of an API key, or `ggufd keys`." }),
      ip_address: z.string().nullable().meta({
        description: "`null`: the change was made by a command on the server's machine.",
      }),
    }),
    key: z.string().meta({ description: "Name of the changed key." }),
    before: settings.meta({ description: "Changed settings. `null`: the key was created." }),
    after: settings.meta({ description: "Changed settings. `null`: the key was deleted." }),
  })
  .meta({ id: "AuditLogEntry" });

export type AuditObject = z.infer<typeof auditObject>;

export const auditList = listOf(auditObject, "AuditLog");

export type AuditList = z.infer<typeof auditList>;

const TYPES = {
  create: "api_key.created",
  update: "api_key.updated",
  rotate: "api_key.rotated",
  delete: "api_key.deleted",
} as const satisfies Record<AuditEntry["action"], AuditObject["type"]>;

export function toAuditObject(entry: AuditEntry): AuditObject {
  const { number, at, by, from, action, name, before, after } = entry;
  const [old, current] = [before && settingsOf(before), after && settingsOf(after)];
  return {
    id: String(number),
    object: "audit_log",
    type: TYPES[action],
    effective_at: Math.floor(Date.parse(at) / 1000),
    actor: { name: by, ip_address: from ?? null },
    key: name,
    before: old === undefined ? null : findDifferences(old, current ?? {}),
    after: current === undefined ? null : findDifferences(current, old ?? {}),
  };
}

type Settings = Readonly<Record<string, unknown>>;

/** All that an administrator can set, without hashes. */
function settingsOf(key: StoredKey): Settings {
  return {
    redacted_value: redact(key),
    ...printAttributes(key.attributes),
    disabled: key.state === "disabled",
    expires_at: toSeconds(key.expiresAt),
  };
}

/** The settings that others lack, or have with another value. */
function findDifferences(some: Settings, others: Settings): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(some).filter(([field, value]) => !isDeepStrictEqual(value, others[field])),
  );
}

function toSeconds(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.floor(ms / 1000);
}
