import { z } from "zod";
import { printAttributes } from "../../api/keys/attribute-fields.js";
import { type AttributeTexts, parseAttribute } from "../../config/keys/key-line.js";
import { DaemonClient } from "../daemon/daemon-client.js";
import type { DaemonChoice } from "../daemon/find-daemon.js";
import { formatJson } from "../json-output.js";
import { formatTextTable } from "../text-table.js";

export type ManageKeysArguments = {
  readonly daemon: DaemonChoice;
  readonly output: "text" | "json";
} & (
  | { readonly action: "list" | "audit" }
  | {
      readonly action: "create" | "update";
      readonly name: string;
      /** As in the key file. */
      readonly attributes: AttributeTexts;
      /** In seconds since 1970; undefined: never, or unchanged. */
      readonly expires: number | undefined;
    }
  | { readonly action: "rotate"; readonly name: string; readonly graceSeconds: number }
  | { readonly action: "disable" | "enable" | "delete"; readonly name: string }
);

/** Output of a command. */
export interface PrintedKey {
  /** For standard output: a new key alone, so that scripts can read it. */
  readonly text: string;
  /** For standard error. */
  readonly notice?: string;
}

const time = z.number().nullish();

/** Fields of a key that commands read. */
const key = z.looseObject({
  id: z.string(),
  source: z.string(),
  disabled: z.boolean(),
  scopes: z.array(z.string()).nullish(),
  access: z.string().nullish(),
  created_at: time,
  last_used_at: time,
  expires_at: time,
  value: z.string().optional(),
});
type KeyEntry = z.output<typeof key>;

const settings = z.record(z.string(), z.unknown()).nullish();
const auditEntry = z.looseObject({
  id: z.string(),
  type: z.string(),
  effective_at: z.number(),
  actor: z.looseObject({ name: z.string(), ip_address: z.string().nullish() }),
  key: z.string(),
  before: settings,
  after: settings,
});
type AuditEntry = z.output<typeof auditEntry>;

const deletion = z.looseObject({ id: z.string(), deleted: z.literal(true) });

const KEYS = "/v1/keys";
const AUDIT = "/v1/audit";
const PAGE_SIZE = 100;

/**
 * Runs a command for the keys of a running daemon.
 * @throws {StartupError} an attribute is invalid, or the daemon refuses
 */
export async function runManageKeys(options: ManageKeysArguments): Promise<PrintedKey> {
  const daemon = new DaemonClient(options.daemon);
  const isJson = options.output === "json";
  switch (options.action) {
    case "list": {
      const keys = await fetchAll(daemon, KEYS, key);
      return { text: isJson ? formatJson({ keys }) : describeKeys(keys, Date.now()) };
    }
    case "audit": {
      const entries = await fetchAll(daemon, AUDIT, auditEntry);
      return { text: isJson ? formatJson({ entries }) : describeEntries(entries) };
    }
    case "create": {
      const body = { name: options.name, ...toFields(options) };
      const created = await daemon.post(KEYS, body, key);
      return printValue(created, `Created ${created.id}. The key is not shown again.\n`, isJson);
    }
    case "rotate": {
      const body = { grace_seconds: options.graceSeconds };
      const rotated = await daemon.post(`${pathOf(options)}/rotate`, body, key);
      const notice = `Rotated ${rotated.id}. The new key is not shown again.\n`;
      return printValue(rotated, notice, isJson);
    }
    case "update":
      return printChange(await daemon.patch(pathOf(options), toFields(options), key), isJson);
    case "disable":
    case "enable": {
      const change = { disabled: options.action === "disable" };
      return printChange(await daemon.patch(pathOf(options), change, key), isJson);
    }
    case "delete": {
      const deleted = await daemon.delete(pathOf(options), deletion);
      return { text: isJson ? formatJson(deleted) : `${deleted.id}: deleted\n` };
    }
  }
}

function pathOf({ name }: { readonly name: string }): string {
  return `${KEYS}/${encodeURIComponent(name)}`;
}

/** @throws {StartupError} naming the flag of an invalid attribute */
function toFields({
  attributes,
  expires,
}: {
  readonly attributes: AttributeTexts;
  readonly expires: number | undefined;
}): object {
  for (const [name, text] of Object.entries(attributes)) parseAttribute(name, text, "--");
  return {
    ...printAttributes(attributes),
    ...(expires !== undefined && { expires_at: expires }),
  };
}

/** Fetches all pages of a list. */
async function fetchAll<Entry extends z.ZodType>(
  daemon: DaemonClient,
  path: string,
  entry: Entry,
): Promise<z.output<Entry>[]> {
  const page = z.object({
    data: z.array(entry),
    last_id: z.string().nullish(),
    has_more: z.boolean(),
  });
  const entries: z.output<Entry>[] = [];
  let after = "";
  for (;;) {
    const { data, last_id, has_more } = await daemon.get(
      `${path}?limit=${PAGE_SIZE}${after}`,
      page,
    );
    entries.push(...data);
    if (!has_more || !last_id) return entries;
    after = `&after=${encodeURIComponent(last_id)}`;
  }
}

function printValue(entry: KeyEntry, notice: string, isJson: boolean): PrintedKey {
  return isJson ? { text: formatJson(entry) } : { text: `${entry.value}\n`, notice };
}

function printChange(entry: KeyEntry, isJson: boolean): PrintedKey {
  return { text: isJson ? formatJson(entry) : `${entry.id}: ${stateOf(entry, Date.now())}\n` };
}

function stateOf({ disabled, expires_at: expiresAt }: KeyEntry, now: number): string {
  if (disabled) return "disabled";
  return typeof expiresAt === "number" && expiresAt * 1000 <= now ? "expired" : "enabled";
}

/**
 * Formats keys as a table.
 * @param now milliseconds since 1970
 */
export function describeKeys(keys: readonly KeyEntry[], now: number): string {
  const rows = keys.map((entry) => [
    entry.id,
    entry.source,
    stateOf(entry, now),
    entry.scopes?.join(",") ?? "",
    entry.access ?? "",
    formatTime(entry.created_at),
    formatTime(entry.last_used_at),
    formatTime(entry.expires_at),
  ]);
  const heading = ["name", "source", "state", "scopes", "access", "created", "used", "expires"];
  return `${formatTextTable([heading, ...rows]).join("\n")}\n`;
}

/** Formats the audit log as a table. */
export function describeEntries(entries: readonly AuditEntry[]): string {
  if (entries.length === 0) return "No API key was changed yet.\n";
  const rows = entries.map(({ effective_at, actor, type, key: name, before, after }) => [
    formatTime(effective_at),
    actor.name,
    actor.ip_address ?? "",
    type.replace(/^api_key\./, ""),
    name,
    describeChange(before ?? {}, after ?? {}),
  ]);
  const heading = ["time", "by", "from", "change", "key", "settings"];
  return `${formatTextTable([heading, ...rows]).join("\n")}\n`;
}

/** `concurrent: 1 → 4, weight: 2` */
function describeChange(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): string {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return fields
    .map((field) => {
      const values = [before[field], after[field]].flatMap((value) =>
        value === undefined ? [] : [JSON.stringify(value)],
      );
      return `${field}: ${values.join(" → ")}`;
    })
    .join(", ");
}

/** @param seconds since 1970; null: never */
function formatTime(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return "";
  return new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, "Z");
}
