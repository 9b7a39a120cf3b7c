import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { type ApiKey, access, type RouteAccess } from "../../core/api-keys.js";
import type { TokenAllowance } from "../../core/caller.js";
import { GgufdError } from "../../core/errors.js";
import type { KeyRing } from "./key-ring.js";
import type { ConcurrencyPermit, KeyUsage } from "./key-usage.js";

/** The key presented by a request and accepted for its route. */
export interface KeyUse {
  readonly key: ApiKey;
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
 * `model_loading` is not counted. Without keys every route is open.
 * Applies to the routes of a scope, and to unknown paths in it, which accept any key.
 */
export function requireKeys(app: FastifyInstance, ring: KeyRing): void {
  app.decorateRequest("keyUse");
  app.addHook("onRequest", async (request, reply) => {
    const { method, is404, routeOptions } = request;
    if (ring.isEmpty || method === "OPTIONS") return;
    const requiredAccess: RouteAccess = is404
      ? access.anyKey
      : (routeOptions.config.access ?? access.admin);
    if (requiredAccess.needs === "nothing") return;
    const usage = identify(request, ring);
    request.keyName = usage.key.name;
    checkPermission(usage.key, requiredAccess, request);
    try {
      const permit = usage.admit(requiredAccess.needs === "a-key" ? "server" : requiredAccess.asks);
      // A closed connection emits no second `close`.
      if (permit !== undefined && !reply.raw.destroyed) reply.raw.once("close", permit.hold());
      request.keyUse = { key: usage.key, tokens: usage.openAllowance(), permit, usage };
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

/** @throws {GgufdError} `invalid_api_key` */
function identify({ headers, innerCall }: FastifyRequest, ring: KeyRing): KeyUsage {
  if (innerCall?.class !== "batch") return authenticate(headers, ring);
  const { keyName = "" } = innerCall;
  const usage = ring.findByName(keyName);
  if (usage !== undefined) return usage;
  const key = keyName === "" ? "no API key" : `the API key ${keyName}`;
  throw new GgufdError(
    "invalid_api_key",
    `The batch was created with ${key}, which is not a key of the server any more.`,
  );
}

/** @throws {GgufdError} `invalid_api_key` */
function authenticate(headers: IncomingHttpHeaders, ring: KeyRing): KeyUsage {
  const clientKey = readPresentedKey(headers);
  if (clientKey === undefined) {
    throw new GgufdError(
      "invalid_api_key",
      "Missing API key: send the header `Authorization: Bearer KEY` or `x-api-key: KEY`.",
    );
  }
  const usage = ring.find(clientKey);
  if (usage !== undefined) return usage;
  throw new GgufdError("invalid_api_key", "Invalid API key.");
}

function readPresentedKey(headers: IncomingHttpHeaders): string | undefined {
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? "")?.[1];
  const header = headers["x-api-key"];
  return bearer ?? (typeof header === "string" ? header : undefined);
}

/** @throws {GgufdError} `permission_denied` */
function checkPermission(
  key: ApiKey,
  { needs }: RouteAccess,
  { method, routeOptions }: FastifyRequest,
): void {
  if (needs !== "nothing" && needs !== "a-key" && !key.scopes.includes(needs)) {
    throw new GgufdError(
      "permission_denied",
      `The API key does not have the scope ${needs}, which ${method} ${routeOptions.url} needs.`,
    );
  }
  if (key.access === "read-only" && !READ_METHODS.includes(method)) {
    throw new GgufdError(
      "permission_denied",
      `The API key is read-only: expected ${READ_METHODS.join(" or ")}, got ${method}.`,
    );
  }
}

/**
 * Keeps a request counted as concurrent for work that continues after its response.
 * @returns stops counting the request; must be called exactly once
 */
export function holdConcurrencyPermit({ keyUse }: Pick<FastifyRequest, "keyUse">): () => void {
  return keyUse?.permit?.hold() ?? (() => undefined);
}
