import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type {
  AuditList,
  AuditObject,
  KeyList,
  KeyObject,
  ValuedKeyObject,
} from "../../api/keys/answer.js";
import { ApiError, messageOf } from "../api/api-error.js";
import { client, onSessionEnd } from "../session.js";

const KEYS_PATH = "/v1/keys";
const AUDIT_PATH = "/v1/audit";
/** Number of keys and of entries that are shown first, and added on request. */
const PAGE_SIZE = 50;
/** Limit of a request. */
const MAX_LIMIT = 100;

interface Listed<Entry> {
  readonly entries: readonly Entry[];
  readonly hasMore: boolean;
}

const knownKeys = signal<Listed<KeyObject> | undefined>(undefined);
const knownLog = signal<Listed<AuditObject> | undefined>(undefined);
const listError = signal<string | undefined>(undefined);
const disabledReason = signal<string | undefined>(undefined);
let [shownKeys, shownEntries] = [PAGE_SIZE, PAGE_SIZE];

/** All keys; `undefined`: not read yet. */
export const keys: ReadonlySignal<Listed<KeyObject> | undefined> = computed(() => knownKeys.value);

/** Changes of keys, latest first; `undefined`: not read yet, or the server has no key store. */
export const auditLog: ReadonlySignal<Listed<AuditObject> | undefined> = computed(
  () => knownLog.value,
);

/** Why the lists are outdated. */
export const keyListError: ReadonlySignal<string | undefined> = listError;

/** Why the keys of the server cannot be changed. */
export const storeDisabled: ReadonlySignal<string | undefined> = disabledReason;

onSessionEnd(() => {
  knownKeys.value = undefined;
  knownLog.value = undefined;
});

/** Reads the keys and the log. Never rejects. */
export async function readKeys(): Promise<void> {
  try {
    knownKeys.value = await readList<KeyObject>(KEYS_PATH, shownKeys);
    knownLog.value = await readLog();
    listError.value = undefined;
  } catch (error) {
    // The key form is shown when the key is missing or rejected.
    if (error instanceof ApiError && error.status === 401) return;
    listError.value = messageOf(error);
  }
}

/** Shows more keys. */
export async function showMoreKeys(): Promise<void> {
  shownKeys += PAGE_SIZE;
  await readKeys();
}

/** Shows older changes. */
export async function showMoreEntries(): Promise<void> {
  shownEntries += PAGE_SIZE;
  await readKeys();
}

/** Fields of a new key; attributes as in `POST /v1/keys`. */
export type NewKey = Readonly<Record<string, unknown>> & { readonly name: string };

/** Creates a key. @returns its value, which is not shown again. @throws {ApiError} */
export async function createKey(body: NewKey): Promise<string> {
  const { value } = await client.json<ValuedKeyObject>(KEYS_PATH, { method: "POST", body });
  await readKeys();
  return value;
}

/** Replaces the value of a key. @returns the new value. @throws {ApiError} */
export async function rotateKey(name: string, graceSeconds: number): Promise<string> {
  const body = { grace_seconds: graceSeconds };
  const path = `${pathOf(name)}/rotate`;
  const { value } = await client.json<ValuedKeyObject>(path, { method: "POST", body });
  await readKeys();
  return value;
}

/** Disables, enables or limits a key in time. @throws {ApiError} */
export async function changeKey(
  name: string,
  body: { readonly disabled: boolean } | { readonly expires_at: number | null },
): Promise<void> {
  await client.json(pathOf(name), { method: "PATCH", body });
  await readKeys();
}

/** @throws {ApiError} */
export async function deleteKey(name: string): Promise<void> {
  await client.json(pathOf(name), { method: "DELETE" });
  await readKeys();
}

function pathOf(name: string): string {
  return `${KEYS_PATH}/${encodeURIComponent(name)}`;
}

/** @returns `undefined` if the server has no key store */
async function readLog(): Promise<Listed<AuditObject> | undefined> {
  try {
    const log = await readList<AuditObject>(AUDIT_PATH, shownEntries);
    disabledReason.value = undefined;
    return log;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "unsupported_operation") throw error;
    disabledReason.value = messageOf(error);
    return undefined;
  }
}

async function readList<Entry extends { readonly id: string }>(
  path: string,
  count: number,
): Promise<Listed<Entry>> {
  const entries: Entry[] = [];
  let hasMore = true;
  while (hasMore && entries.length < count) {
    const limit = Math.min(MAX_LIMIT, count - entries.length);
    const last = entries.at(-1);
    const after = last === undefined ? "" : `&after=${encodeURIComponent(last.id)}`;
    const page = await client.json<Page<Entry>>(`${path}?limit=${limit}${after}`);
    entries.push(...page.data);
    hasMore = page.has_more;
  }
  return { entries, hasMore };
}

type Page<Entry> = Pick<KeyList | AuditList, "has_more"> & { readonly data: readonly Entry[] };
