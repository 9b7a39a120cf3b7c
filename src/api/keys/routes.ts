import assert from "node:assert/strict";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { createKey } from "../../config/keys/new-key.js";
import { access } from "../../core/api-keys.js";
import { createRefusal, GgufdError } from "../../core/errors.js";
import { toPage } from "../../core/pages.js";
import { clientAddressOf } from "../../http/client-address.js";
import type { KeyRing } from "../../http/keys/key-ring.js";
import type { KeyUsage } from "../../http/keys/key-usage.js";
import { createTakenNameError, createUnknownKeyError } from "../../keys/key-changes.js";
import type { KeyStore } from "../../keys/key-store.js";
import type { Actor } from "../../keys/key-table.js";
import type { StoredKey } from "../../keys/stored-key.js";
import { parseBody } from "../../validation/parse-body.js";
import { parseInput } from "../../validation/parse-input.js";
import { preview } from "../../validation/preview.js";
import type { DescribedRoute } from "../description/described-route.js";
import { internalError, storageErrors } from "../description/example-errors.js";
import { jsonBody } from "../description/request-body.js";
import { jsonResponse } from "../description/responses.js";
import { createUnknownCursorError, toList } from "../fields/lists.js";
import { dropNulls } from "../fields/nulls.js";
import {
  type AuditObject,
  auditList,
  deletedKey,
  type KeyObject,
  keyList,
  keyObject,
  toAuditObject,
  toKeyObject,
  type ValuedKeyObject,
  valuedKeyObject,
} from "./answer.js";
import { toAttributeChanges, toAttributes } from "./attribute-fields.js";
import { DEFAULT_LIMIT, keyChange, keyRotation, listQuery, newKey } from "./schema.js";

/** Dependencies of the routes of API keys. */
export interface KeyContext {
  /** All keys of the server. */
  readonly keys: KeyRing;
  /** Keys that can be changed; undefined: the server has no key store. */
  readonly keyStore: KeyStore | undefined;
}

const path = z.object({ id: z.string().meta({ example: "alice" }) });

const exampleKey: KeyObject = {
  id: "alice",
  object: "api_key",
  name: "alice",
  source: "store",
  redacted_value: "ggufd_...9fQ2",
  created_at: 1_767_225_600,
  created_by: "admin",
  last_used_at: 1_767_312_000,
  expires_at: null,
  previous_value_expires_at: null,
  disabled: false,
  scopes: ["inference"],
  access: "full",
  group: null,
  requests_per_minute: 60,
  tokens_per_minute: null,
  concurrent: 4,
  requests_per_day: null,
  requests_per_month: null,
  tokens_per_day: 1_000_000,
  tokens_per_month: null,
  weight: 1,
  models: ["qwen*"],
  adapters: null,
  max_context: null,
  max_tokens: null,
  priority_ceiling: null,
  log_content: null,
};

const exampleValue: ValuedKeyObject = {
  ...exampleKey,
  value: "ggufd_CkDyXf2b0xk2vJ1n3sWnZbq1Jm7Qm0mYtE4Xc2a9fQ2",
};

const exampleRequest = { name: "alice", scopes: ["inference"], concurrent: 4 };

const exampleEntry: AuditObject = {
  id: "7",
  object: "audit_log",
  type: "api_key.updated",
  effective_at: 1_767_225_600,
  actor: { name: "admin", ip_address: "127.0.0.1" },
  key: "alice",
  before: { requests_per_minute: 30 },
  after: { requests_per_minute: 60 },
};

const storeDisabled = new GgufdError(
  "unsupported_operation",
  "This server has no key store: its API keys are defined by its configuration. Start it with --key-store PATH.",
);
const configuredKeyError = createConfiguredKeyError("bob", "--api-key-file keys: line 2");
const keyNotFound = createUnknownKeyError("carol");
const changeErrors: readonly GgufdError[] = [storeDisabled, internalError, ...storageErrors];
/** Errors of changing one key of the key store. */
const storedKeyErrors = [keyNotFound, configuredKeyError, ...changeErrors];

const listKeysRoute: DescribedRoute<KeyContext> = {
  method: "GET",
  path: "/v1/keys",
  access: access.admin,
  description: {
    operationId: "listKeys",
    summary: "List API keys",
    description: "Lists the keys of the configuration, then those of the key store, oldest first.",
    requestParams: { query: listQuery },
    responses: {
      200: jsonResponse({
        description: "A page of keys.",
        schema: keyList,
        example: toList([exampleKey], false) as z.input<typeof keyList>,
      }),
    },
    errors: [createUnknownCursorError("carol")],
  },
  async handle(context, { query }) {
    const { limit, after } = parseListQuery(query);
    const keys = context.keys.usages.map((usage) => describeKey(context, usage));
    const page = toPage(keys, { limit, order: "asc", after });
    if (page === undefined) throw createUnknownCursorError(after);
    return toList([...page.entries], page.hasMore);
  },
};

const createKeyRoute: DescribedRoute<KeyContext> = {
  method: "POST",
  path: "/v1/keys",
  access: access.admin,
  description: {
    operationId: "createKey",
    summary: "Create an API key",
    description:
      "Creates a random key, which is accepted at once. Its value is in this answer only: the server stores a hash.",
    requestBody: jsonBody(newKey, exampleRequest as z.input<typeof newKey>),
    responses: {
      200: jsonResponse({
        description: "The key with its value.",
        schema: valuedKeyObject,
        example: exampleValue as z.input<typeof valuedKeyObject>,
      }),
    },
    errors: [
      createRefusal("invalid_request", [
        { field: "requests_per_minute", reason: "expected an integer from 1 to 1000000, got 0" },
      ]),
      createRefusal("invalid_request", [
        {
          field: "group",
          reason: "expected a group of the key file (a line group:NAME with its budgets), got team",
        },
      ]),
      createTakenNameError("alice"),
      new GgufdError(
        "storage_quota_exceeded",
        "The key cannot be stored: expected at most 10000 keys, got one more.",
      ),
      ...changeErrors,
    ],
  },
  async handle(context, request) {
    const store = requireStore(context);
    const {
      name,
      expires_at: expiresAt,
      ...body
    } = await parseBody(newKey, dropNulls(request.body));
    expectFuture(expiresAt);
    if (context.keys.findKey(name) !== undefined) throw createTakenNameError(name);
    const { value, ...stored } = createKey();
    const key = {
      name,
      value: stored,
      attributes: toAttributes(body),
      expiresAt: expiresAt && expiresAt * 1000,
    };
    await store.create(key, actorOf(request));
    return { ...findKey(context, name), value };
  },
};

const getKeyRoute: DescribedRoute<KeyContext> = {
  method: "GET",
  path: "/v1/keys/{id}",
  access: access.admin,
  description: {
    operationId: "getKeyByName",
    summary: "Get an API key",
    requestParams: { path },
    responses: {
      200: jsonResponse({
        description: "The key, without its value.",
        schema: keyObject,
        example: exampleKey as z.input<typeof keyObject>,
      }),
    },
    errors: [keyNotFound],
  },
  handle: async (context, request) => findKey(context, idOf(request)),
};

const changeKeyRoute: DescribedRoute<KeyContext> = {
  method: "PATCH",
  path: "/v1/keys/{id}",
  access: access.admin,
  description: {
    operationId: "changeKey",
    summary: "Change an API key",
    description:
      "The change applies to all later requests; requests in flight continue. Batches of a disabled key stop.",
    requestParams: { path },
    requestBody: jsonBody(keyChange, { disabled: true }),
    responses: {
      200: jsonResponse({
        description: "The changed key.",
        schema: keyObject,
        example: exampleKey as z.input<typeof keyObject>,
      }),
    },
    errors: [
      createRefusal("invalid_request", [
        { field: "disabled", reason: 'expected true or false, got "yes"' },
      ]),
      ...storedKeyErrors,
    ],
  },
  async handle(context, request) {
    const store = requireStore(context);
    const { disabled, expires_at: expiresAt, ...body } = await parseBody(keyChange, request.body);
    if (expiresAt !== null) expectFuture(expiresAt);
    const { name } = requireStoredKey(context, idOf(request));
    const update = {
      attributes: toAttributeChanges(body),
      state: disabled === undefined ? undefined : disabled ? "disabled" : "enabled",
      expiresAt: expiresAt && expiresAt * 1000,
    } as const;
    await store.update(name, update, actorOf(request));
    return findKey(context, name);
  },
};

const rotateKeyRoute: DescribedRoute<KeyContext> = {
  method: "POST",
  path: "/v1/keys/{id}/rotate",
  access: access.admin,
  description: {
    operationId: "rotateKey",
    summary: "Replace the value of an API key",
    description:
      "The key keeps its name, permissions and usage. During the grace period, the previous value is accepted too.",
    requestParams: { path },
    requestBody: jsonBody(keyRotation, { grace_seconds: 86_400 }),
    responses: {
      200: jsonResponse({
        description: "The key with its new value.",
        schema: valuedKeyObject,
        example: exampleValue as z.input<typeof valuedKeyObject>,
      }),
    },
    errors: [
      createRefusal("invalid_request", [
        { field: "grace_seconds", reason: "expected an integer from 0 to 31536000, got -1" },
      ]),
      ...storedKeyErrors,
    ],
  },
  async handle(context, request) {
    const store = requireStore(context);
    const { grace_seconds: graceSeconds = 0 } = await parseBody(
      keyRotation,
      dropNulls(request.body),
    );
    const { name } = requireStoredKey(context, idOf(request));
    const { value, ...stored } = createKey();
    await store.rotate(name, stored, graceSeconds * 1000, actorOf(request));
    return { ...findKey(context, name), value };
  },
};

const deleteKeyRoute: DescribedRoute<KeyContext> = {
  method: "DELETE",
  path: "/v1/keys/{id}",
  access: access.admin,
  description: {
    operationId: "deleteKey",
    summary: "Delete an API key",
    description:
      "The key is refused from now on. Data that belongs to its name is inherited by a later key of the same name.",
    requestParams: { path },
    responses: {
      200: jsonResponse({
        description: "The key is deleted.",
        schema: deletedKey,
        example: { id: "alice", object: "api_key.deleted", deleted: true },
      }),
    },
    errors: storedKeyErrors,
  },
  async handle(context, request): Promise<z.infer<typeof deletedKey>> {
    const store = requireStore(context);
    const { name } = requireStoredKey(context, idOf(request));
    await store.remove(name, actorOf(request));
    return { id: name, object: "api_key.deleted", deleted: true };
  },
};

const auditRoute: DescribedRoute<KeyContext> = {
  method: "GET",
  path: "/v1/audit",
  access: access.admin,
  description: {
    operationId: "listAuditLog",
    summary: "List changes of API keys",
    description: "Lists who changed which key of the key store and how, latest first.",
    requestParams: { query: listQuery },
    responses: {
      200: jsonResponse({
        description: "A page of the audit log.",
        schema: auditList,
        example: toList([exampleEntry], false),
      }),
    },
    errors: [createUnknownCursorError("0"), storeDisabled, internalError],
  },
  async handle(context, { query }) {
    const { limit, after } = parseListQuery(query);
    const { log } = requireStore(context);
    const page = toPage(
      log.map((entry) => ({ id: String(entry.number), entry })),
      { limit, order: "desc", after },
    );
    if (page === undefined) throw createUnknownCursorError(after);
    const data = page.entries.map(({ entry }) => toAuditObject(entry));
    return toList(data, page.hasMore);
  },
};

export const keyRoutes: readonly DescribedRoute<KeyContext>[] = [
  listKeysRoute,
  createKeyRoute,
  getKeyRoute,
  changeKeyRoute,
  rotateKeyRoute,
  deleteKeyRoute,
  auditRoute,
];

function idOf({ params }: Pick<FastifyRequest, "params">): string {
  return (params as z.output<typeof path>).id;
}

function parseListQuery(query: unknown) {
  const options = { code: "invalid_request", inputName: "query" } as const;
  const { limit = DEFAULT_LIMIT, after } = parseInput(listQuery, query, options);
  return { limit, after };
}

/** With a key store, every route requires a key. */
function actorOf(request: FastifyRequest): Actor {
  assert(request.keyName !== undefined, "expected a request with a key");
  return { by: request.keyName, from: clientAddressOf(request) };
}

/** @throws {GgufdError} `unsupported_operation` if the server has no key store */
function requireStore({ keyStore }: KeyContext): KeyStore {
  if (keyStore === undefined) throw storeDisabled;
  return keyStore;
}

/** @throws {GgufdError} `not_found`, or `key_conflict` for a key of the configuration */
function requireStoredKey({ keys, keyStore }: KeyContext, name: string): StoredKey {
  const stored = keyStore?.find(name);
  if (stored !== undefined) return stored;
  const location = keys.findKey(name)?.key.location;
  if (location === undefined) throw createUnknownKeyError(name);
  throw createConfiguredKeyError(name, location);
}

function createConfiguredKeyError(name: string, location: string): GgufdError {
  return new GgufdError(
    "key_conflict",
    `The API key ${name} is defined by ${location}: change it there.`,
  );
}

/** @throws {GgufdError} `not_found` */
function findKey(context: KeyContext, name: string): KeyObject {
  const usage = context.keys.findKey(name);
  if (usage === undefined) throw createUnknownKeyError(name);
  return describeKey(context, usage);
}

function describeKey({ keyStore }: KeyContext, { key, lastUsedAt }: KeyUsage): KeyObject {
  const stored = key.location === undefined ? keyStore?.find(key.name) : undefined;
  return toKeyObject(key, { lastUsedAt, stored, now: Date.now() });
}

/**
 * @param seconds since 1970
 * @throws {GgufdError} `invalid_request` for a time that has passed
 */
function expectFuture(seconds: number | undefined): void {
  if (seconds === undefined || seconds * 1000 > Date.now()) return;
  const reason = `expected a time in the future, in seconds since 1970, got ${preview(seconds)}`;
  throw createRefusal("invalid_request", [{ field: "expires_at", reason }]);
}
