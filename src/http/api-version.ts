import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { createRefusal, type ErrorDetail } from "../core/errors.js";
import { isAtOrBelow, normaliseUrl, pathOf } from "./normalise-url.js";
import { removePrefix } from "./path-prefix.js";
import { addVary } from "./response-headers.js";

/** Header fields that select an API version: specification, section 9, rule 3. */
const VERSION_HEADERS = ["accept-version", "api-version"] as const;
/** Unprefixed paths that a version header maps to `/v1`. */
const UNPREFIXED_PATHS = ["/todos", "/models", "/chat/completions"] as const;
/** The unprefixed path that belongs to another service unless a version header is sent. */
const UNVERSIONED_PATH = "/todos";
/** Paths of llama-server, mapped to the equivalent paths of ggufd. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["/responses", "/v1/responses"],
  ["/responses/input_tokens", "/v1/responses/input_tokens"],
  ["/reranking", "/v1/rerank"],
  ["/v1/reranking", "/v1/rerank"],
  ["/v1/health", "/health"],
]);
/** Paths whose prefix is a version of another API: Cohere's v2. */
const FOREIGN_VERSIONS = ["/v2/rerank", "/v2/embed"];
const SUPPORTED_VERSIONS = ["v1", "1"];

export interface VersionedUrl {
  /** The routed URL; a rejected request is routed to the dialect that formats the error. */
  readonly url: string;
  /** Header fields that the routing depends on, for `Vary`. */
  readonly vary: readonly string[];
  /** One error per unsupported version in the path or headers; empty: none. */
  readonly errors: readonly ErrorDetail[];
}

/**
 * Routes a request by the version in its path or headers. Unversioned paths, such as `/api/todos`
 * and `/health`, are not affected by version headers, and neither are aliases.
 * @param url normalised
 */
export function chooseVersion(url: string, headers: IncomingHttpHeaders): VersionedUrl {
  const path = pathOf(url);
  const alias = ALIASES.get(path);
  if (alias !== undefined) return { url: alias + url.slice(path.length), vary: [], errors: [] };
  const [prefix] = /^\/v\d+(?=\/|$)/.exec(path) ?? [];
  const isUnprefixed = UNPREFIXED_PATHS.some((parent) => isAtOrBelow(path, parent));
  const isForeign = FOREIGN_VERSIONS.includes(path);
  if (isForeign || (prefix === undefined && !isUnprefixed)) return { url, vary: [], errors: [] };

  const presentHeaders = VERSION_HEADERS.filter((name) => headers[name] !== undefined);
  const headerErrors = presentHeaders
    .filter((name) => !SUPPORTED_VERSIONS.includes(String(headers[name])))
    .map((name) => ({ field: name, reason: formatVersionReason(String(headers[name])) }));
  if (prefix === undefined) {
    const isUnversioned = presentHeaders.length === 0 && isAtOrBelow(path, UNVERSIONED_PATH);
    const target = isUnversioned ? url : `/v1${url}`;
    return { url: target, vary: VERSION_HEADERS, errors: headerErrors };
  }
  if (prefix === "/v1") return { url, vary: [], errors: headerErrors };
  const prefixError = { field: "path", reason: formatVersionReason(prefix.slice(1)) };
  return {
    url: `/v1${url.slice(prefix.length)}`,
    vary: [],
    errors: [prefixError, ...headerErrors],
  };
}

/** Version choices of the requests in flight, where `Vary` or an error depends on them. */
const choices = new WeakMap<IncomingMessage, VersionedUrl>();

/**
 * The request target, normalised, without the prefix of all paths, and with the version selected by
 * the headers.
 */
export function selectVersionedUrl(message: IncomingMessage, pathPrefix: string): string {
  const url = removePrefix(normaliseUrl(message.url ?? "/"), pathPrefix);
  const choice = chooseVersion(url, message.headers);
  if (choice.vary.length + choice.errors.length > 0) choices.set(message, choice);
  return choice.url;
}

/**
 * Rejects requests for unsupported versions, after authentication. Request targets must have been
 * rewritten by {@link selectVersionedUrl}. Must be called before {@link answerErrors}, which would
 * answer an unsupported version with `not_found`.
 */
export function rejectUnsupportedVersions(app: FastifyInstance): void {
  app.addHook("onRequest", async (request, reply) => addVersionVary(request, reply));
  app.addHook("preParsing", async ({ raw, is404, url }) => {
    const { errors = [] } = choices.get(raw) ?? {};
    if (errors.length === 0) return;
    // A path that no version has, such as one of Cohere's v2, is unknown. The to-do service has its
    // own format for unsupported versions.
    if (is404 && !isAtOrBelow(pathOf(url), "/v1/todos")) return;
    throw createRefusal("unsupported_version", errors);
  });
}

/** Adds the version headers to `Vary` where the version depends on them. */
export function addVersionVary({ raw }: FastifyRequest, reply: FastifyReply): void {
  const { vary = [] } = choices.get(raw) ?? {};
  if (vary.length > 0) addVary(reply, ...vary);
}

function formatVersionReason(got: string): string {
  return `expected v1, got ${JSON.stringify(got)}`;
}
