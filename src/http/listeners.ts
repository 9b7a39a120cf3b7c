import type { Server as HttpServer } from "node:http";
import { createServer, type Server, type Socket } from "node:net";
import type { FastifyBaseLogger } from "fastify";
import { formatReason } from "../core/format-reason.js";
import type { ListenAddress } from "../core/listen-address.js";
import { type BindOptions, type BoundServer, bindServers } from "./bind-servers.js";
import { PLAIN_HTTP } from "./connection-errors.js";
import type { ConnectionLimits } from "./connection-limits.js";
import { type KeyPair, TlsHandshakes } from "./tls-handshakes.js";

export interface ListenerOptions extends BindOptions {
  /** Answers requests; does not listen itself. */
  readonly server: HttpServer;
  /**
   * TLS certificate and key of TCP addresses; `undefined`: plain HTTP. Unix sockets always speak
   * plain HTTP.
   */
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
  // After this event, an HTTP server tracks its connections and closes idle and slow ones.
  server.emit("listening");
  const emitConnection = (socket: Socket) => server.emit("connection", socket);
  const handshakes =
    pair &&
    new TlsHandshakes({
      pair,
      limits,
      log,
      onSecure: emitConnection,
      onPlainHttp: (socket) => {
        const error = Object.assign(new Error("plain HTTP"), { code: PLAIN_HTTP });
        server.emit("clientError", error, socket);
      },
    });
  const connections = new Connections(server);
  const createListener = ({ kind }: ListenAddress): Server => {
    const receive =
      kind === "unix" || handshakes === undefined
        ? emitConnection
        : handshakes.begin.bind(handshakes);
    // Options that Node.js sets for HTTP servers.
    return createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      if (connections.add(socket)) receive(socket);
    });
  };
  try {
    const bound = await bindServers(options, createListener);
    for (const { server: listener } of bound) {
      listener.on("error", (error) => {
        log.warn({ reason: formatReason(error) }, "a connection could not be accepted");
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
  /** URL of each address: `https://127.0.0.1:8080`, `unix:/run/ggufd.sock`. */
  readonly urls: readonly string[];
  readonly #boundServers: readonly BoundServer[];
  readonly #connections: Connections;
  readonly #handshakes: TlsHandshakes | undefined;

  constructor(
    bound: readonly BoundServer[],
    connections: Connections,
    handshakes: TlsHandshakes | undefined,
  ) {
    const scheme = handshakes === undefined ? "http" : "https";
    this.urls = bound.map(({ endpoint }) =>
      endpoint.kind === "unix" ? `unix:${endpoint.path}` : `${scheme}://${endpoint.authority}`,
    );
    this.#boundServers = bound;
    this.#connections = connections;
    this.#handshakes = handshakes;
  }

  /** Replaces the certificate for new connections. */
  replacePair(pair: KeyPair): void {
    this.#handshakes?.replace(pair);
  }

  /**
   * Stops accepting connections and removes the files of Unix sockets. Resolves when all
   * connections have ended.
   */
  async close(): Promise<void> {
    await Promise.all(
      this.#boundServers.map(
        ({ server }) => new Promise<void>((resolve) => server.close(() => resolve())),
      ),
    );
  }

  /** Ends all connections at once, including those in their TLS handshake. */
  destroyConnections(): void {
    this.#connections.destroy();
  }
}

/** Open connections of all listeners; a TLS connection counts once. */
class Connections {
  readonly #server: HttpServer;
  readonly #openSockets = new Set<Socket>();

  constructor(server: HttpServer) {
    this.#server = server;
  }

  /** @returns `false`: the connection was closed because the limit is reached */
  add(socket: Socket): boolean {
    if (this.#openSockets.size >= this.#server.maxConnections) {
      socket.destroy();
      this.#server.emit("drop");
      return false;
    }
    this.#openSockets.add(socket);
    socket.once("close", () => this.#openSockets.delete(socket));
    return true;
  }

  destroy(): void {
    for (const socket of this.#openSockets) socket.destroy();
  }
}
