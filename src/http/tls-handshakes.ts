import type { Socket } from "node:net";
import { createServer, type SecureContextOptions, type Server, type TLSSocket } from "node:tls";
import type { FastifyBaseLogger } from "fastify";
import { reasonOf } from "../core/reason-of.js";
import { AddressCounts } from "./address-counts.js";
import { type ConnectionLimits, matchAddresses } from "./connection-limits.js";

/** What a server proves by who it is, in PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

export interface HandshakeOptions {
  readonly pair: KeyPair;
  /** Of handshakes in progress. */
  readonly limits: Pick<ConnectionLimits, "perAddress" | "proxies">;
  readonly log: Pick<FastifyBaseLogger, "debug">;
  readonly onSecure: (socket: TLSSocket) => void;
  /** Of a client that speaks HTTP without TLS: nothing of its request is read. */
  readonly onPlainHttp: (socket: Socket) => void;
}

/** From the connection to the end of its handshake, in milliseconds. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

/** The methods of HTTP begin with one, and no record of TLS does. */
const CAPITAL_LETTER = /^[A-Z]/;

/**
 * Makes secure connections of those that are accepted elsewhere. None of them reaches the application before its
 * handshake is complete, and none has longer for that than ten seconds.
 */
export class TlsHandshakes {
  readonly #options: HandshakeOptions;
  /** Never listens: it is handed connections. */
  readonly #server: Server;
  readonly #isProxy: (address: string) => boolean;
  readonly #counts = new AddressCounts();
  /** What ends each that is in progress, by the two ends of its connection. */
  readonly #inProgress = new Map<string, () => void>();

  constructor(options: HandshakeOptions) {
    this.#options = options;
    this.#isProxy = matchAddresses(options.limits.proxies);
    const secure = { ...contextOf(options.pair), ALPNProtocols: ["http/1.1"] };
    this.#server = createServer(secure, (socket) => {
      this.#inProgress.get(endsOf(socket))?.();
      options.onSecure(socket);
    });
    this.#server.on("tlsClientError", (error, { remoteAddress }) => {
      options.log.debug(
        { client: remoteAddress, reason: reasonOf(error) },
        "a TLS handshake failed",
      );
    });
  }

  /** Newcomers see another certificate; connections stay as they are. */
  replace(pair: KeyPair): void {
    this.#server.setSecureContext(contextOf(pair));
  }

  /** Begins the handshake of a connection of which nothing has been read. */
  begin(socket: Socket): void {
    // It is gone already, where it has no address.
    if (socket.remoteAddress === undefined || !this.#track(socket, socket.remoteAddress)) {
      socket.destroy();
      return;
    }
    // A connection that breaks is closed, which is all that has to be known of it here.
    socket.on("error", () => undefined);
    socket.once("readable", () => {
      const beginning: Buffer | null = socket.read();
      if (beginning === null) {
        socket.destroy();
        return;
      }
      socket.unshift(beginning);
      if (CAPITAL_LETTER.test(beginning.toString("latin1", 0, 1))) this.#refuse(socket);
      else this.#server.emit("connection", socket);
    });
  }

  #refuse(socket: Socket): void {
    const { onPlainHttp, log } = this.#options;
    log.debug({ client: socket.remoteAddress }, "HTTP without TLS was refused");
    socket.once("timeout", () => socket.destroy());
    onPlainHttp(socket);
    // What is left unread resets a connection that is closed, and its answer with it.
    socket.resume();
  }

  /** @returns `false`: its address has as many as it may */
  #track(socket: Socket, address: string): boolean {
    const { perAddress } = this.#options.limits;
    const count = this.#counts.add(address);
    if (perAddress > 0 && count > perAddress && !this.#isProxy(address)) {
      this.#counts.remove(address);
      return false;
    }
    const ends = endsOf(socket);
    const timer = setTimeout(() => socket.destroy(), HANDSHAKE_TIMEOUT_MS);
    const end = () => {
      // By its close, its ends may be those of another connection.
      if (this.#inProgress.get(ends) === end) this.#inProgress.delete(ends);
      clearTimeout(timer);
      socket.off("close", end);
      this.#counts.remove(address);
    };
    socket.once("close", end);
    this.#inProgress.set(ends, end);
    return true;
  }
}

function contextOf({ cert, key }: KeyPair): SecureContextOptions {
  return { cert, key, minVersion: "TLSv1.2" };
}

function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return [remoteAddress, remotePort, localAddress, localPort].join(" ");
}
