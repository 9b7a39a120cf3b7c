import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { access, type Permissions, type RouteAccess } from "../../core/api-keys.js";
import type { TokenAllowance } from "../../core/caller.js";
import { GgufdError } from "../../core/errors.js";
import { isIdentityName } from "../../core/identity.js";
import type { Identified } from "./identities.js";
import type { KeyRing } from "./key-ring.js";
import type { ConcurrencyPermit, KeyUsage } from "./key-usage.js";
import { readProxyUser, type TrustedHeaders } from "./trusted-headers.js";

/** The key or identity of a request, accepted for its route. */
export interface KeyUse {
  readonly key: Permissions;
  readonly tokens: TokenAllowance | undefined;
  /** Concurrency permit of a model request. */
  readonly permit: ConcurrencyPermit | undefined;
  readonly usage: KeyUsage;
}

declare module "fastify" {
  interface FastifyRequest {
    /** `undefined`: the route requires no key, or the server has none. */
    keyUse: KeyUse | undefined;
  }
}

const READ_METHODS = ["GET", "HEAD"];

/**
 * Requires the key of a request's route, as `Authorization: Bearer` or `x-api-key`, and counts the
 * request against the key's limits before its body is read; one that is answered with
 * `model_loading` is not counted. Tokens and trusted headers are accepted in place of a key, if the
 * ring has identities. Without keys and identities every route is open.
 * Applies to the routes of a scope, and to unknown paths in it, which accept any key.
 * @param headers of an authenticating proxy; `undefined`: there is none
 */
export function requireKeys(app: FastifyInstance, ring: KeyRing, headers?: TrustedHeaders): void {
  app.decorateRequest("keyUse");
  app.addHook("onRequest", async (request, reply) => {
    const { method, is404, routeOptions } = request;
    if (ring.isOpen || method === "OPTIONS") return;
    const requiredAccess: RouteAccess = is404
      ? access.anyKey
      : (routeOptions.config.access ?? access.admin);
    if (requiredAccess.needs === "nothing") return;
    const { key, usage } = await identify(request, ring, headers);
    request.keyName = key.name;
    checkPermission(key, requiredAccess, request);
    try {
      const permit = usage.admit(requiredAccess.needs === "a-key" ? "server" : requiredAccess.asks);
      // A closed connection emits no second `close`.
      if (permit !== undefined && !reply.raw.destroyed) reply.raw.once("close", permit.hold());
      request.keyUse = { key, tokens: usage.openAllowance(), permit, usage };
    } finally {
      reply.headers(usage.headers);
    }
  });
  // Clients that poll until a model is loaded would otherwise use up their requests.
  app.addHook("onSend", async ({ errorCode, keyUse }, reply) => {
    if (errorCode !== "model_loading" || keyUse === undefined) return;
    keyUse.usage.refundRequest();
    reply.headers(keyUse.usage.headers);
  });
}

/** @throws {GgufdError} `invalid_api_key`, `permission_denied`, `identity_unavailable` */
async function identify(
  request: FastifyRequest,
  ring: KeyRing,
  trustedHeaders: TrustedHeaders | undefined,
): Promise<Identified> {
  const { headers, innerCall } = request;
  if (innerCall?.class === "batch")
    return withOwnKey(findBatchUsage(innerCall.keyName ?? "", ring));
  const user = trustedHeaders && readProxyUser(request.raw, trustedHeaders);
  if (user !== undefined && ring.identities !== undefined)
    return ring.identities.identifyUser(user);
  return authenticate(headers, ring);
}

const RETRY_AFTER_SECONDS = 60;

/** @throws {GgufdError} `invalid_api_key`, `identity_unavailable` */
function findBatchUsage(keyName: string, ring: KeyRing): KeyUsage {
  const usage = ring.findByName(keyName);
  if (usage !== undefined) {
    usage.expectUsable();
    return usage;
  }
  if (ring.identities !== undefined && isIdentityName(keyName)) {
    // The batch waits, as for a model that is being loaded.
    throw new GgufdError(
      "identity_unavailable",
      `The permissions of ${keyName} are not known until its next request.`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
  }
  const key = keyName === "" ? "no API key" : `the API key ${keyName}`;
  throw new GgufdError(
    "invalid_api_key",
    `The batch was created with ${key}, which is not a key of the server any more.`,
  );
}

/** @throws {GgufdError} `invalid_api_key`, `permission_denied`, `identity_unavailable` */
async function authenticate(headers: IncomingHttpHeaders, ring: KeyRing): Promise<Identified> {
  const clientKey = readPresentedKey(headers);
  if (clientKey === undefined) {
    throw new GgufdError(
      "invalid_api_key",
      "Missing API key: send the header `Authorization: Bearer KEY` or `x-api-key: KEY`.",
    );
  }
  const usage = ring.find(clientKey);
  if (usage !== undefined) return withOwnKey(usage);
  const { identities } = ring;
  if (identities?.acceptsToken(clientKey)) return identities.identifyToken(clientKey);
  throw new GgufdError("invalid_api_key", "Invalid API key.");
}

function withOwnKey(usage: KeyUsage): Identified {
  return { key: usage.key, usage };
}

function readPresentedKey(headers: IncomingHttpHeaders): string | undefined {
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? "")?.[1];
  const header = headers["x-api-key"];
  return bearer ?? (typeof header === "string" ? header : undefined);
}

/** @throws {GgufdError} `permission_denied` */
function checkPermission(
  key: Permissions,
  { needs }: RouteAccess,
  { method, routeOptions }: FastifyRequest,
): void {
  if (needs !== "nothing" && needs !== "a-key" && !key.scopes.includes(needs)) {
    throw new GgufdError(
      "permission_denied",
      `${nameClient(key)} does not have the scope ${needs}, which ${method} ${routeOptions.url} needs.`,
    );
  }
  if (key.access === "read-only" && !READ_METHODS.includes(method)) {
    throw new GgufdError(
      "permission_denied",
      `${nameClient(key)} is read-only: expected ${READ_METHODS.join(" or ")}, got ${method}.`,
    );
  }
}

function nameClient({ name }: Permissions): string {
  return isIdentityName(name) ? name : "The API key";
}

/**
 * Keeps a request counted as concurrent for work that continues after its response.
 * @returns stops counting the request; must be called exactly once
 */
export function holdConcurrencyPermit({ keyUse }: Pick<FastifyRequest, "keyUse">): () => void {
  return keyUse?.permit?.hold() ?? (() => undefined);
}
