import type { Socket } from "node:net";
import { createServer, type SecureContextOptions, type Server, type TLSSocket } from "node:tls";
import type { FastifyBaseLogger } from "fastify";
import { formatReason } from "../core/format-reason.js";
import { AddressCounts } from "./address-counts.js";
import { type ConnectionLimits, matchAddresses } from "./connection-limits.js";

/** TLS certificate and private key, in PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

export interface HandshakeOptions {
  readonly pair: KeyPair;
  /** Limits of handshakes in progress. */
  readonly limits: Pick<ConnectionLimits, "perAddress" | "proxies">;
  readonly log: Pick<FastifyBaseLogger, "debug">;
  readonly onSecure: (socket: TLSSocket) => void;
  /** Called when a client speaks plain HTTP; nothing of its request is read. */
  readonly onPlainHttp: (socket: Socket) => void;
}

/** From the connection to the end of its handshake, in milliseconds. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

/** HTTP methods start with a capital letter; TLS records never do. */
const CAPITAL_LETTER = /^[A-Z]/;

/**
 * Upgrades accepted connections to TLS. A connection reaches the application only after its
 * handshake, which must complete within ten seconds.
 */
export class TlsHandshakes {
  readonly #options: HandshakeOptions;
  /** Never listens; connections are passed to it. */
  readonly #server: Server;
  readonly #isProxy: (address: string) => boolean;
  readonly #counts = new AddressCounts();
  /** Aborts each handshake in progress, keyed by the two ends of its connection. */
  readonly #abortCallbacks = new Map<string, () => void>();

  constructor(options: HandshakeOptions) {
    this.#options = options;
    this.#isProxy = matchAddresses(options.limits.proxies);
    const tlsOptions = { ...contextOf(options.pair), ALPNProtocols: ["http/1.1"] };
    this.#server = createServer(tlsOptions, (socket) => {
      this.#abortCallbacks.get(endsOf(socket))?.();
      options.onSecure(socket);
    });
    this.#server.on("tlsClientError", (error, { remoteAddress }) => {
      options.log.debug(
        { client: remoteAddress, reason: formatReason(error) },
        "a TLS handshake failed",
      );
    });
  }

  /** Replaces the certificate for new connections; existing ones keep theirs. */
  replace(pair: KeyPair): void {
    this.#server.setSecureContext(contextOf(pair));
  }

  /** Starts the handshake of a connection from which nothing has been read. */
  begin(socket: Socket): void {
    // A socket without a remote address is already closed.
    if (socket.remoteAddress === undefined || !this.#track(socket, socket.remoteAddress)) {
      socket.destroy();
      return;
    }
    // Errors need no handling: the connection is closed either way.
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
    // Unread data would reset the connection on close and discard the answer.
    socket.resume();
  }

  /** @returns `false`: the limit of its address is reached */
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
      // When `close` is emitted, another connection may already use the same addresses and ports.
      if (this.#abortCallbacks.get(ends) === end) this.#abortCallbacks.delete(ends);
      clearTimeout(timer);
      socket.off("close", end);
      this.#counts.remove(address);
    };
    socket.once("close", end);
    this.#abortCallbacks.set(ends, end);
    return true;
  }
}

function contextOf({ cert, key }: KeyPair): SecureContextOptions {
  return { cert, key, minVersion: "TLSv1.2" };
}

function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return [remoteAddress, remotePort, localAddress, localPort].join(" ");
}
