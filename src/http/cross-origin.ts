import cors, { type FastifyCorsOptions } from "@fastify/cors";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { GgufdError } from "../core/errors.js";
import { isAtOrBelow, pathOf } from "./normalise-url.js";
import type { RequestCheck } from "./request-checks.js";
import { addVary } from "./response-headers.js";

/** Which pages of other origins may use this server. */
export interface CrossOriginPolicy {
  /**
   * `any`, or a list of origins as browsers send them: `https://example.com`; `localhost`: the pages
   * of all servers of the browser's machine.
   */
  readonly origins: "any" | readonly string[];
  /** Paths open to pages of every origin, including everything below them. */
  readonly openPaths: readonly string[];
}

/** The value of `access-control-allow-origin` for a page; `undefined`: the header is not sent. */
export function findAllowedOrigin(
  { origins, openPaths }: CrossOriginPolicy,
  path: string,
  origin: string | undefined,
): string | undefined {
  if (origins === "any" || openPaths.some((open) => isAtOrBelow(path, open))) return "*";
  if (origin === undefined) return undefined;
  const isAllowed = origins.some((one) =>
    one === LOCALHOST ? isLocalPage(origin) : one === origin,
  );
  return isAllowed ? origin : undefined;
}

const LOCALHOST = "localhost";
const LOCAL_HOSTS: readonly string[] = [LOCALHOST, "127.0.0.1", "[::1]"];

function isLocalPage(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname } = new URL(origin);
  return ["http:", "https:"].includes(protocol) && LOCAL_HOSTS.includes(hostname);
}

/**
 * Refuses requests from pages that may not use this server. CORS alone protects only requests with
 * a preflight: without one, as for a POST of `text/plain`, the browser hides the response from the
 * page, but the request would already have run.
 */
export function checkOrigin(policy: CrossOriginPolicy): RequestCheck {
  return ({ headers: { origin, host }, url }) => {
    if (origin === undefined || findAllowedOrigin(policy, pathOf(url), origin) !== undefined) {
      return undefined;
    }
    if (isSameOrigin(origin, host)) return undefined;
    return new GgufdError(
      "origin_not_allowed",
      `origin: expected a page of this server or an origin that --cors-origin names, got ${JSON.stringify(origin)}.`,
    );
  };
}

/**
 * Adds `Origin` to `Vary` on responses that depend on it, refusals included. Call before the hook
 * that refuses requests is added.
 */
export function varyByOrigin(app: FastifyInstance, { origins }: CrossOriginPolicy): void {
  if (origins === "any") return;
  app.addHook("onRequest", async (_request, reply) => addVary(reply, "Origin"));
}

/** Adds CORS headers to every response and answers preflight requests for every path. */
export function allowCrossOrigin(
  app: FastifyInstance,
  policy: CrossOriginPolicy,
  exposedHeaders: readonly string[],
): void {
  const options: FastifyCorsOptions = {
    methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
    exposedHeaders: [...exposedHeaders],
    strictPreflight: false,
  };
  // The response is the same for all origins and need not vary by origin.
  if (policy.origins === "any") app.register(cors, { ...options, origin: "*" });
  else {
    app.register(cors, {
      ...options,
      delegator: (request, done) =>
        done(null, { ...options, origin: originOf(policy, request) ?? false }),
    });
  }
}

/** CORS headers and `Vary` for requests that reach no hook. */
export function buildCrossOriginHeaders(
  policy: CrossOriginPolicy,
  request: FastifyRequest,
): Readonly<Record<string, string>> {
  const origin = originOf(policy, request);
  return {
    ...(origin !== undefined && { "access-control-allow-origin": origin }),
    ...(policy.origins !== "any" && { vary: "Origin" }),
  };
}

function originOf(policy: CrossOriginPolicy, { url, headers }: FastifyRequest): string | undefined {
  return findAllowedOrigin(policy, pathOf(url), headers.origin);
}

/**
 * Whether an origin is the server's own. The scheme is ignored, because a proxy may have terminated
 * TLS.
 */
function isSameOrigin(origin: string, host: string | undefined): boolean {
  return ["http:", "https:"].some((scheme) => {
    const own = `${scheme}//${host}`;
    return URL.canParse(own) && new URL(own).origin === origin;
  });
}
