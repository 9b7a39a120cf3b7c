import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type ErrorDetail, refusalOf } from "../core/errors.js";
import { isAtOrBelow, normaliseUrl, pathOf } from "./normalise-url.js";
import { addVary } from "./vary.js";

/** Header fields in which a client names a version: specification, section 9, rule 3. */
const VERSION_HEADERS = ["accept-version", "api-version"] as const;
/** Paths that a version in a header leads below `/v1`. */
const UNPREFIXED = ["/todos", "/models", "/chat/completions"] as const;
const ACCEPTED = ["v1", "1"];

export interface VersionedUrl {
  /** Where the request goes; a refused one goes to the dialect that prints the refusal. */
  readonly url: string;
  /** Header fields that lead elsewhere when they are there, or are not. */
  readonly vary: readonly string[];
  /** What speaks of another version than the one there is; empty: nothing. */
  readonly refusals: readonly ErrorDetail[];
}

/**
 * Where a request goes, by the version that its path or its headers name. Paths that know no
 * versions, such as `/api/todos` and `/health`, are left alone, whatever the headers say.
 * @param url normalised
 */
export function chooseVersion(url: string, headers: IncomingHttpHeaders): VersionedUrl {
  const path = pathOf(url);
  const [prefix] = /^\/v\d+(?=\/|$)/.exec(path) ?? [];
  const isUnprefixed = UNPREFIXED.some((parent) => isAtOrBelow(path, parent));
  if (prefix === undefined && !isUnprefixed) return { url, vary: [], refusals: [] };

  const named = VERSION_HEADERS.filter((name) => headers[name] !== undefined);
  const refusals = named
    .filter((name) => !ACCEPTED.includes(String(headers[name])))
    .map((name) => ({ field: name, reason: expectedV1(String(headers[name])) }));
  if (prefix === undefined) {
    return { url: named.length === 0 ? url : `/v1${url}`, vary: VERSION_HEADERS, refusals };
  }
  if (prefix === "/v1") return { url, vary: [], refusals };
  const refusedPrefix = { field: "path", reason: expectedV1(prefix.slice(1)) };
  return {
    url: `/v1${url.slice(prefix.length)}`,
    vary: [],
    refusals: [refusedPrefix, ...refusals],
  };
}

/** What was chosen for the requests under way, where anything depends on it. */
const choices = new WeakMap<IncomingMessage, VersionedUrl>();

/** The target of a request, normalised and with the version that its headers choose. */
export function versionedUrlOf(message: IncomingMessage): string {
  const choice = chooseVersion(normaliseUrl(message.url ?? "/"), message.headers);
  if (choice.vary.length + choice.refusals.length > 0) choices.set(message, choice);
  return choice.url;
}

/**
 * Refuses requests for other versions, once it is known who asks. Their targets must have gone
 * through {@link versionedUrlOf}. Must be called before {@link answerErrors}, which would not find
 * the path of an unknown version.
 */
export function refuseUnknownVersions(app: FastifyInstance): void {
  app.addHook("onRequest", async (request, reply) => announceVersionHeaders(request, reply));
  app.addHook("preParsing", async ({ raw }) => {
    const { refusals = [] } = choices.get(raw) ?? {};
    if (refusals.length === 0) return;
    throw refusalOf("unsupported_version", refusals);
  });
}

/** Tells caches which header fields chose the version. */
export function announceVersionHeaders({ raw }: FastifyRequest, reply: FastifyReply): void {
  const { vary = [] } = choices.get(raw) ?? {};
  if (vary.length > 0) addVary(reply, ...vary);
}

function expectedV1(got: string): string {
  return `expected v1, got ${JSON.stringify(got)}`;
}
