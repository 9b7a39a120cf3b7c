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
  type CrossOriginPolicy,
  checkOrigin,
  crossOriginHeaders,
  varyByOrigin,
} from "./cross-origin.js";
import { checkHeadLimits, checkRequests, firstRefusal, requestLimits } from "./request-checks.js";
import { forbidSniffing, NO_SNIFFING } from "./response-headers.js";

declare module "fastify" {
  interface FastifyInstance {
    /** From now on every answer that has not begun tells its client to close the connection. */
    drain(): void;
    /** Aborted by that: answers that would never end do then. */
    readonly draining: AbortSignal;
  }
}

/** Who may reach the server, and how much of it they may take. */
export interface EdgeSettings {
  readonly hosts: AcceptedHosts;
  readonly origins: CrossOriginPolicy["origins"];
  /** Addresses and networks whose `X-Forwarded-For` is believed, and {@link UNIX_CLIENTS}. */
  readonly proxies: readonly string[];
  /** Open connections of all clients. */
  readonly connections: number;
  /** Open connections of one client address; 0: any number. */
  readonly connectionsPerAddress: number;
  /** From the arrival of a request to the end of its answer, in seconds; 0: any time. */
  readonly answerTimeoutSeconds: number;
  /** Without progress, where a client has something to read; in milliseconds. */
  readonly writeTimeoutMs: number;
  /** Of a request that has no smaller limit. */
  readonly maxBodyBytes: number;
  /** Of a file in a form, which has texts beside it. */
  readonly maxFileBytes: number;
}

/** What pages of other origins may use, beside what `origins` allows. */
export interface CrossOriginAccess {
  /** Paths that pages of every origin may use. */
  readonly openPaths: readonly string[];
  /** Response headers that pages may read. */
  readonly exposedHeaders: readonly string[];
}

/** For requests that reach no hook, because their path cannot be decoded. */
export interface Guard {
  /** The error to refuse it with. */
  refusalOf(request: FastifyRequest, reply: FastifyReply): GgufdError | undefined;
  /** Those that all other answers have, too. */
  headersOf(request: FastifyRequest): Readonly<Record<string, string>>;
}

/** Interval of checks for slow requests, in milliseconds: a time limit may be exceeded by as much. */
const CHECKING_INTERVAL_MS = 5000;

/** The edge's part of an application's options. */
export function edgeOptions({ maxBodyBytes, proxies }: EdgeSettings) {
  return {
    bodyLimit: maxBodyBytes,
    requestTimeout: requestLimits.requestTimeoutMs,
    keepAliveTimeout: requestLimits.keepAliveTimeoutMs,
    trustProxy: trustIn(proxies),
    http: {
      maxHeaderSize: requestLimits.headBytes,
      headersTimeout: requestLimits.headersTimeoutMs,
      connectionsCheckingInterval: CHECKING_INTERVAL_MS,
      // Node.js would answer with a bare status.
      requireHostHeader: false,
    },
  } satisfies FastifyHttpOptions<Server>;
}

/** Whose `X-Forwarded-For` Fastify believes: it knows nobody without an address. */
function trustIn(proxies: EdgeSettings["proxies"]): FastifyHttpOptions<Server>["trustProxy"] {
  if (!proxies.includes(UNIX_CLIENTS)) return proxies.length > 0 && [...proxies];
  const isListed = matchAddresses(proxies);
  return (address: string | undefined) => address === undefined || isListed(address);
}

/**
 * Guards an application: limits of connections and heads, hosts, origins, write timeouts. Must be called before
 * the hook that checks keys is added, and after hooks that all requests must reach.
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
  drainConnections(app);
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
    refusalOf: (request, reply) => firstRefusal(request, reply, checks),
    headersOf: (request) => ({ ...NO_SNIFFING, ...crossOriginHeaders(policy, request) }),
  };
}

/**
 * Lets an application drain its connections: clients and proxies that reuse one would find its socket closed
 * when the server exits.
 */
function drainConnections(app: FastifyInstance): void {
  const unanswered = new Set<ServerResponse>();
  const drained = new AbortController();
  const { signal } = drained;
  // One for each answer that would never end.
  setMaxListeners(0, signal);
  app.decorate("draining", signal);
  app.decorate("drain", () => {
    drained.abort();
    for (const response of unanswered) closeAfter(response);
  });
  app.addHook("onRequest", async (_request, { raw }) => {
    if (signal.aborted) return closeAfter(raw);
    unanswered.add(raw);
    raw.once("close", () => unanswered.delete(raw));
  });
}

function closeAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("connection", "close");
}

/**
 * Ends requests whose clients have stopped reading. What the socket does not take is buffered; when none of it
 * has been sent for the timeout, the socket is destroyed and the request is cancelled as for any client that has
 * disconnected. A client that reads slowly keeps its answer, and so does one for which there is nothing to read
 * yet.
 * @param timeoutMs time without progress, in milliseconds; where a part of a piece went out it may be twice
 *   as long
 */
function enforceWriteTimeout(app: FastifyInstance, timeoutMs: number): void {
  app.addHook("onRequest", async (_request, { raw }) => {
    // Sockets measure their own progress, also within a piece that the kernel takes in parts.
    raw.setTimeout(timeoutMs, () => {
      if ((raw.socket?.writableLength ?? 0) > 0) raw.destroy();
    });
  });
}
