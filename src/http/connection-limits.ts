import assert from "node:assert/strict";
import { BlockList, isIP, type Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { GgufdError } from "../core/errors.js";
import { UNIX_CLIENTS } from "../core/listen-address.js";
import { AddressCounts } from "./address-counts.js";
import type { RequestCheck } from "./request-checks.js";

export interface ConnectionLimits {
  /** Maximum connections of all clients. */
  readonly total: number;
  /**
   * Maximum connections per client address; 0: unlimited. Unix sockets and proxies have no such
   * limit.
   */
  readonly perAddress: number;
  /**
   * Addresses and networks of proxies, exempt because each carries the connections of many clients.
   */
  readonly proxies: readonly string[];
}

/** Time until an excess connection that sends nothing is closed, in milliseconds. */
const SILENCE_MS = 1000;
/** Minimum interval between log entries about dropped connections, in milliseconds. */
const LOG_INTERVAL_MS = 60_000;
/** Estimated time until a connection becomes free. */
const RETRY_AFTER_SECONDS = 1;

/**
 * Limits the connections per address and in total. Connections beyond the total are closed unread;
 * the first request on a connection beyond an address's limit is answered with an error.
 * @returns refuses the requests of connections beyond an address's limit
 */
export function limitConnections(app: FastifyInstance, limits: ConnectionLimits): RequestCheck {
  assert(limits.total > 0 && limits.perAddress >= 0, "expected room for connections");
  const { server } = app;
  server.maxConnections = limits.total;
  logDrops(app, limits.total);

  const isProxy = matchAddresses(limits.proxies);
  const openConnections = new AddressCounts();
  const excessSockets = new WeakSet<Socket>();
  server.on("connection", (socket) => {
    const { remoteAddress } = socket;
    if (limits.perAddress === 0 || remoteAddress === undefined || isProxy(remoteAddress)) return;
    const count = openConnections.add(remoteAddress);
    socket.once("close", () => openConnections.remove(remoteAddress));
    if (count <= limits.perAddress) return;
    excessSockets.add(socket);
    // HTTP servers destroy sockets that time out.
    socket.setTimeout(SILENCE_MS);
  });

  return ({ raw: { socket } }, reply) => {
    if (!excessSockets.has(socket)) return undefined;
    reply.header("connection", "close");
    return new GgufdError(
      "too_many_connections",
      `${socket.remoteAddress} has too many connections: expected at most ${limits.perAddress} (--max-connections-per-address).`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
  };
}

/**
 * Builds a predicate that matches addresses against a list.
 * @param addressList addresses and networks such as `10.0.0.0/8`; clients of Unix sockets have no
 *   address
 */
export function matchAddresses(addressList: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const entry of addressList) {
    if (entry === UNIX_CLIENTS) continue;
    const [address = "", prefix] = entry.split("/");
    if (prefix === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(prefix), familyOf(address));
  }
  return (address) => {
    // Dual-stack sockets report IPv4 addresses as IPv4-mapped IPv6 addresses.
    const plain = address.replace(/^::ffff:(?=\d+\.)/, "");
    return isIP(plain) !== 0 && list.check(plain, familyOf(plain));
  };
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

function logDrops({ server, log }: FastifyInstance, total: number): void {
  let dropped = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;
  server.on("drop", () => {
    dropped++;
    const now = performance.now();
    if (now - loggedAt < LOG_INTERVAL_MS) return;
    log.warn({ dropped }, `connections were closed: more than ${total} (--max-connections)`);
    loggedAt = now;
    dropped = 0;
  });
}
