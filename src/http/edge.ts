import type { Server, ServerResponse } from "node:http";
import type { FastifyHttpOptions, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { GgufdError } from "../core/errors.js";
import { type AcceptedHosts, checkHost } from "./accepted-hosts.js";
import { limitAnswerTime } from "./caller.js";
import { followAnswers } from "./connection-errors.js";
import { limitConnections } from "./connection-limits.js";
import {
  allowCrossOrigin,
  type CrossOriginPolicy,
  checkOrigin,
  crossOriginHeaders,
  tellOriginsApart,
} from "./cross-origin.js";
import { checkHeadLimits, checkRequests, firstRefusal, requestLimits } from "./request-checks.js";
import { forbidSniffing, NO_SNIFFING } from "./response-headers.js";

declare module "fastify" {
  interface FastifyInstance {
    /** From now on every answer that has not begun tells its client to close the connection. */
    drain(): void;
  }
}

/** Who may reach the server, and how much of it they may take. */
export interface EdgeSettings {
  readonly hosts: AcceptedHosts;
  readonly origins: CrossOriginPolicy["origins"];
  /** Addresses and networks whose `X-Forwarded-For` is believed. */
  readonly proxies: readonly string[];
  /** Open connections of everybody. */
  readonly connections: number;
  /** Open connections of one client address; 0: any number. */
  readonly connectionsPerAddress: number;
  /** From the arrival of a request to the end of its answer, in seconds; 0: any time. */
  readonly answerTimeoutSeconds: number;
  /** Without progress, where a client has something to read; in milliseconds. */
  readonly writeTimeoutMs: number;
  /** Of a request that has no smaller limit. */
  readonly maxBodyBytes: number;
}

/** What the edge has to know of the routes behind it. */
export interface Pages {
  /** Paths that pages of every origin may use. */
  readonly openPaths: readonly string[];
  /** Response headers that such pages may read. */
  readonly exposedHeaders: readonly string[];
}

/** For requests that reach no hook, because their path cannot be decoded. */
export interface Guard {
  /** The error to refuse it with. */
  refusalOf(request: FastifyRequest, reply: FastifyReply): GgufdError | undefined;
  /** Those that all other answers have, too. */
  headersOf(request: FastifyRequest): Readonly<Record<string, string>>;
}

/** How often slow requests are looked for, in milliseconds: a time limit may be exceeded by as much. */
const CHECKING_INTERVAL_MS = 5000;

/** The edge's part of an application's options. */
export function edgeOptions({ maxBodyBytes, proxies }: EdgeSettings) {
  return {
    bodyLimit: maxBodyBytes,
    requestTimeout: requestLimits.requestTimeoutMs,
    keepAliveTimeout: requestLimits.keepAliveTimeoutMs,
    trustProxy: proxies.length > 0 && [...proxies],
    http: {
      maxHeaderSize: requestLimits.headBytes,
      headersTimeout: requestLimits.headersTimeoutMs,
      connectionsCheckingInterval: CHECKING_INTERVAL_MS,
      // Node.js would answer with nothing but a status.
      requireHostHeader: false,
    },
  } satisfies FastifyHttpOptions<Server>;
}

/**
 * Guards an application: connections, heads, hosts, origins, clients that do not read. Must be called before
 * hooks that look at keys are added, and after those that requests are to reach in any case.
 */
export function guardEdge(
  app: FastifyInstance,
  settings: EdgeSettings,
  { openPaths, exposedHeaders }: Pages,
): Guard {
  const { connections: total, connectionsPerAddress: perAddress, proxies } = settings;
  const policy: CrossOriginPolicy = { origins: settings.origins, openPaths };
  forbidSniffing(app);
  followAnswers(app.server);
  drainConnections(app);
  endUnreadAnswers(app, settings.writeTimeoutMs);
  limitAnswerTime(app, settings.answerTimeoutSeconds);
  const checks = [
    limitConnections(app, { total, perAddress, proxies }),
    checkHeadLimits,
    checkHost(settings.hosts),
    checkOrigin(policy),
  ];
  tellOriginsApart(app, policy);
  checkRequests(app, checks);
  allowCrossOrigin(app, policy, exposedHeaders);
  return {
    refusalOf: (request, reply) => firstRefusal(request, reply, checks),
    headersOf: (request) => ({ ...NO_SNIFFING, ...crossOriginHeaders(policy, request) }),
  };
}

/**
 * Lets an application drain its connections: clients and proxies that reuse one would meet a closed socket
 * when the server ends.
 */
function drainConnections(app: FastifyInstance): void {
  const unanswered = new Set<ServerResponse>();
  let state: "open" | "draining" = "open";
  app.decorate("drain", () => {
    state = "draining";
    for (const response of unanswered) closeAfter(response);
  });
  app.addHook("onRequest", async (_request, { raw }) => {
    if (state === "draining") return closeAfter(raw);
    unanswered.add(raw);
    raw.once("close", () => unanswered.delete(raw));
  });
}

function closeAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("connection", "close");
}

/**
 * Ends requests whose clients have stopped reading. What the socket does not take is held for its client;
 * when nothing of it has gone out for a time the socket is destroyed, and the request is cancelled as
 * for any client that is gone. A client that reads slowly keeps its answer, and so does one for which
 * there is nothing to read yet.
 * @param timeoutMs time without progress, in milliseconds; where a part of a piece went out it may be twice
 *   as long
 */
function endUnreadAnswers(app: FastifyInstance, timeoutMs: number): void {
  app.addHook("onRequest", async (_request, { raw }) => {
    // Sockets measure their own progress, also within a piece that the kernel takes in parts.
    raw.setTimeout(timeoutMs, () => {
      if ((raw.socket?.writableLength ?? 0) > 0) raw.destroy();
    });
  });
}
