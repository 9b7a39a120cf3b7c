import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { DeprecatedPath } from "../core/deprecated-path.js";
import { isAtOrBelow, pathOf } from "./normalise-url.js";

/** Adds deprecation headers to every response of a deprecated path and logs its first call. */
export function announceDeprecations(
  app: FastifyInstance,
  deprecations: readonly DeprecatedPath[],
): void {
  const logged = new Set<DeprecatedPath>();
  app.addHook("onRequest", async (request, reply) => {
    const deprecation = addDeprecationHeaders(request, reply, deprecations);
    if (deprecation === undefined || logged.has(deprecation)) return;
    logged.add(deprecation);
    request.log.warn(
      {
        path: deprecation.path,
        successor: deprecation.successor,
        sunset: httpDate(deprecation.sunsetAt),
      },
      "a deprecated path was called; further calls are not logged",
    );
  });
}

/**
 * Adds `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and the successor as a `Link` (RFC 8288). The
 * longest matching path takes precedence.
 * @returns the matching deprecation
 */
export function addDeprecationHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  deprecations: readonly DeprecatedPath[],
): DeprecatedPath | undefined {
  const path = pathOf(request.url);
  const [first, ...others] = deprecations.filter((candidate) => isAtOrBelow(path, candidate.path));
  if (first === undefined) return undefined;
  const deprecation = others.reduce((a, b) => (b.path.length > a.path.length ? b : a), first);
  const links = [reply.getHeader("link") ?? []].flat();
  reply
    .header("deprecation", `@${deprecation.deprecatedAt}`)
    .header("sunset", httpDate(deprecation.sunsetAt))
    .header("link", [...links, `<${deprecation.successor}>; rel="successor-version"`].join(", "));
  return deprecation;
}

/** `Wed, 01 Dec 2027 00:00:00 GMT`: RFC 9110, section 5.6.7. */
function httpDate(seconds: number): string {
  return new Date(seconds * 1000).toUTCString();
}
