import { setMaxListeners } from "node:events";
import type { Server, ServerResponse } from "node:http";
import type { FastifyHttpOptions, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { GgufdError } from "../core/errors.js";
import { UNIX_CLIENTS } from "../core/listen-address.js";
import { type AcceptedHosts, checkHost } from "./accepted-hosts.js";
import { limitAnswerTime } from "./caller.js";
import { trackOpenAnswers } from "./connection-errors.js";
import { limitConnections, matchAddresses } from "./connection-limits.js";
import {
  allowCrossOrigin,
  buildCrossOriginHeaders,
  type CrossOriginPolicy,
  checkOrigin,
  varyByOrigin,
} from "./cross-origin.js";
import { closeLingering } from "./lingering-close.js";
import { checkHeadLimits, checkRequests, findRefusal, requestLimits } from "./request-checks.js";
import { forbidSniffing, NO_SNIFFING } from "./response-headers.js";

declare module "fastify" {
  interface FastifyInstance {
    /** From now on, every response that has not started asks its client to close the connection. */
    drain(): void;
    /** Aborted by `drain`; ends responses that would otherwise never end. */
    readonly draining: AbortSignal;
  }
}

/** Access and resource limits of the server. */
export interface EdgeSettings {
  readonly hosts: AcceptedHosts;
  readonly origins: CrossOriginPolicy["origins"];
  /**
   * Addresses and networks whose `X-Forwarded-For` is trusted; may include {@link UNIX_CLIENTS}.
   */
  readonly proxies: readonly string[];
  /** Maximum open connections of all clients. */
  readonly connections: number;
  /** Maximum open connections per client address; 0: unlimited. */
  readonly connectionsPerAddress: number;
  /** Time limit from the arrival of a request to the end of its response, in seconds; 0: none. */
  readonly answerTimeoutSeconds: number;
  /** Longest time without progress while a client has data to read, in milliseconds. */
  readonly writeTimeoutMs: number;
  /** Maximum body size of routes without their own limit. */
  readonly maxBodyBytes: number;
  /** Maximum size of a file in a form, excluding the form's other fields. */
  readonly maxFileBytes: number;
  /** Maximum size of a file that is stored while it arrives. */
  readonly maxUploadBytes: number;
}

/** Access of pages of other origins, in addition to `origins`. */
export interface CrossOriginAccess {
  /** Paths open to pages of every origin. */
  readonly openPaths: readonly string[];
  /** Response headers that pages may read. */
  readonly exposedHeaders: readonly string[];
}

/** Checks for requests that reach no hook because their path cannot be decoded. */
export interface Guard {
  /** The error to refuse the request with, if any. */
  refusalOf(request: FastifyRequest, reply: FastifyReply): GgufdError | undefined;
  /** Headers that every other response has as well. */
  headersOf(request: FastifyRequest): Readonly<Record<string, string>>;
}

/**
 * Interval of the check for slow requests, in milliseconds; time limits may be exceeded by as much.
 */
const CHECKING_INTERVAL_MS = 5000;

/** Fastify options that guard the application. */
export function buildEdgeOptions({ maxBodyBytes, proxies }: EdgeSettings) {
  return {
    bodyLimit: maxBodyBytes,
    requestTimeout: requestLimits.requestTimeoutMs,
    keepAliveTimeout: requestLimits.keepAliveTimeoutMs,
    trustProxy: buildTrustProxy(proxies),
    http: {
      maxHeaderSize: requestLimits.headBytes,
      headersTimeout: requestLimits.headersTimeoutMs,
      connectionsCheckingInterval: CHECKING_INTERVAL_MS,
      // Without this option, Node.js would answer with a bare status.
      requireHostHeader: false,
    },
  } satisfies FastifyHttpOptions<Server>;
}

/**
 * Selects the proxies whose `X-Forwarded-For` is trusted. Clients of Unix sockets have no address,
 * which Fastify itself cannot match.
 */
function buildTrustProxy(
  proxies: EdgeSettings["proxies"],
): FastifyHttpOptions<Server>["trustProxy"] {
  if (!proxies.includes(UNIX_CLIENTS)) return proxies.length > 0 && [...proxies];
  const isListed = matchAddresses(proxies);
  return (address: string | undefined) => address === undefined || isListed(address);
}

/**
 * Guards an application: limits of connections and request heads, hosts, origins and write
 * timeouts. Call before the hook that checks keys is added, and after hooks that all requests must
 * reach.
 */
export function guardEdge(
  app: FastifyInstance,
  settings: EdgeSettings,
  { openPaths, exposedHeaders }: CrossOriginAccess,
): Guard {
  const { connections: total, connectionsPerAddress: perAddress, proxies } = settings;
  const policy: CrossOriginPolicy = { origins: settings.origins, openPaths };
  forbidSniffing(app);
  trackOpenAnswers(app.server);
  closeLingering(app.server);
  enableDraining(app);
  enforceWriteTimeout(app, settings.writeTimeoutMs);
  limitAnswerTime(app, settings.answerTimeoutSeconds);
  const checks = [
    limitConnections(app, { total, perAddress, proxies }),
    checkHeadLimits,
    checkHost(settings.hosts),
    checkOrigin(policy),
  ];
  varyByOrigin(app, policy);
  checkRequests(app, checks);
  allowCrossOrigin(app, policy, exposedHeaders);
  return {
    refusalOf: (request, reply) => findRefusal(request, reply, checks),
    headersOf: (request) => ({ ...NO_SNIFFING, ...buildCrossOriginHeaders(policy, request) }),
  };
}

/**
 * Lets an application drain its connections, so that clients and proxies stop reusing connections
 * before the server exits.
 */
function enableDraining(app: FastifyInstance): void {
  const openResponses = new Set<ServerResponse>();
  const drainController = new AbortController();
  const { signal } = drainController;
  // Every endless response adds a listener.
  setMaxListeners(0, signal);
  app.decorate("draining", signal);
  app.decorate("drain", () => {
    drainController.abort();
    for (const response of openResponses) closeAfter(response);
  });
  app.addHook("onRequest", async (_request, { raw }) => {
    if (signal.aborted) return closeAfter(raw);
    openResponses.add(raw);
    raw.once("close", () => openResponses.delete(raw));
  });
}

function closeAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("connection", "close");
}

/**
 * Ends requests whose clients have stopped reading. Data that the socket does not accept is
 * buffered; if none of it is sent within the timeout, the socket is destroyed and the request
 * cancelled. Slow readers and clients with nothing to read yet are unaffected.
 * @param timeoutMs time without progress, in milliseconds; up to twice as long if a chunk was
 *   partly sent
 */
function enforceWriteTimeout(app: FastifyInstance, timeoutMs: number): void {
  app.addHook("onRequest", async (_request, { raw }) => {
    // Sockets measure progress even within a chunk that the kernel accepts in parts.
    raw.setTimeout(timeoutMs, () => {
      if ((raw.socket?.writableLength ?? 0) > 0) raw.destroy();
    });
  });
}
