import type { Server as HttpServer } from "node:http";
import { createServer, type Server, type Socket } from "node:net";
import type { FastifyBaseLogger } from "fastify";
import type { ListenAddress } from "../core/listen-address.js";
import { reasonOf } from "../core/reason-of.js";
import { type BoundServer, bindServers, type Places } from "./bind-servers.js";
import { PLAIN_HTTP } from "./connection-errors.js";
import type { ConnectionLimits } from "./connection-limits.js";
import { type KeyPair, TlsHandshakes } from "./tls-handshakes.js";

export interface ListenerOptions extends Places {
  /** What answers requests; it does not listen itself. */
  readonly server: HttpServer;
  /** `undefined`: plain HTTP everywhere; otherwise at Unix sockets alone. */
  readonly pair: KeyPair | undefined;
  readonly limits: Pick<ConnectionLimits, "perAddress" | "proxies">;
  readonly log: Pick<FastifyBaseLogger, "debug" | "warn">;
}

/**
 * Listens for an HTTP server on all addresses, or on none.
 * @throws {StartupError} naming the address that cannot be listened on
 */
export async function openListeners(options: ListenerOptions): Promise<Listeners> {
  const { server, pair, limits, log } = options;
  // From this event on, an HTTP server keeps a list of its connections, to close those that are idle or too slow.
  server.emit("listening");
  const hand = (socket: Socket) => server.emit("connection", socket);
  const handshakes =
    pair &&
    new TlsHandshakes({
      pair,
      limits,
      log,
      onSecure: hand,
      onPlainHttp: (socket) => {
        const error = Object.assign(new Error("plain HTTP"), { code: PLAIN_HTTP });
        server.emit("clientError", error, socket);
      },
    });
  const connections = new Connections(server);
  const serverFor = ({ kind }: ListenAddress): Server => {
    const receive =
      kind === "unix" || handshakes === undefined ? hand : handshakes.begin.bind(handshakes);
    // As HTTP servers have it.
    return createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      if (connections.add(socket)) receive(socket);
    });
  };
  try {
    const bound = await bindServers(options, serverFor);
    for (const { server: listener } of bound) {
      listener.on("error", (error) => {
        log.warn({ reason: reasonOf(error) }, "a connection could not be accepted");
      });
    }
    return new Listeners(bound, connections, handshakes);
  } catch (error) {
    connections.destroy();
    throw error;
  }
}

/** The listeners of a server. */
export class Listeners {
  /** Of each address: `https://127.0.0.1:8080`, `unix:/run/ggufd.sock`. */
  readonly urls: readonly string[];
  readonly #bound: readonly BoundServer[];
  readonly #connections: Connections;
  readonly #handshakes: TlsHandshakes | undefined;

  constructor(
    bound: readonly BoundServer[],
    connections: Connections,
    handshakes: TlsHandshakes | undefined,
  ) {
    const scheme = handshakes === undefined ? "http" : "https";
    this.urls = bound.map(({ at }) =>
      at.kind === "unix" ? `unix:${at.path}` : `${scheme}://${at.authority}`,
    );
    this.#bound = bound;
    this.#connections = connections;
    this.#handshakes = handshakes;
  }

  /** Newcomers see another certificate. */
  replacePair(pair: KeyPair): void {
    this.#handshakes?.replace(pair);
  }

  /** Accepts no more connections, and removes the files of Unix sockets. Resolves when all connections have ended. */
  async close(): Promise<void> {
    await Promise.all(
      this.#bound.map(
        ({ server }) => new Promise<void>((resolve) => server.close(() => resolve())),
      ),
    );
  }

  /** Ends all connections at once, those in their handshake too. */
  destroyConnections(): void {
    this.#connections.destroy();
  }
}

/** The open connections of all listeners, each of which is one whether it speaks TLS or not. */
class Connections {
  readonly #server: HttpServer;
  readonly #open = new Set<Socket>();

  constructor(server: HttpServer) {
    this.#server = server;
  }

  /** @returns `false`: it was closed, because there are as many as there may be */
  add(socket: Socket): boolean {
    if (this.#open.size >= this.#server.maxConnections) {
      socket.destroy();
      this.#server.emit("drop");
      return false;
    }
    this.#open.add(socket);
    socket.once("close", () => this.#open.delete(socket));
    return true;
  }

  destroy(): void {
    for (const socket of this.#open) socket.destroy();
  }
}
