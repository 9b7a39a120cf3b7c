import { once } from "node:events";
import { createServer } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { listenAddressOf } from "../config/listen-addresses.js";
import { type Certificate, readCertificate } from "../config/read-certificate.js";
import type { Config } from "../config/settings.js";
import { reasonOf } from "../core/reason-of.js";
import { StartupError } from "../core/startup-error.js";
import { bindServers } from "../http/bind-servers.js";
import { openListeners } from "../http/listeners.js";

/** The settings that say where clients come in. */
export type EntranceConfig = Pick<
  Config,
  "host" | "port" | "tlsCert" | "tlsKey" | "maxConnectionsPerAddress" | "trustProxy"
>;

/** Where clients come in. */
export interface Entrance {
  /** Of each address: `https://127.0.0.1:8080`, `unix:/run/ggufd.sock`. */
  readonly urls: readonly string[];
  /** Reads the certificate again, if there is one. If it has become wrong, it stays as it was. */
  reload(): void;
  /** Lets nobody in any more, and closes the application. Resolves when the last connection has ended. */
  close(): Promise<void>;
  /** Ends all connections at once. */
  destroyConnections(): void;
}

export interface EntranceOptions {
  readonly config: EntranceConfig;
  readonly certificate: Certificate | undefined;
  readonly logger: Logger;
}

/**
 * Has an application listen at the addresses of the configuration, or at none.
 * @throws {StartupError} naming the address that cannot be listened on
 */
export async function openEntrance(
  app: FastifyInstance,
  { config, certificate, logger }: EntranceOptions,
): Promise<Entrance> {
  await app.ready();
  const listeners = await openListeners({
    ...placesOf(config),
    server: app.server,
    pair: certificate,
    limits: { perAddress: config.maxConnectionsPerAddress, proxies: config.trustProxy },
    log: logger,
  });
  return {
    urls: listeners.urls,
    reload() {
      try {
        const read = readCertificate(config);
        if (read === undefined) return;
        listeners.replacePair(read);
        logger.info({ validTo: read.validTo }, "the certificate was read again");
      } catch (error) {
        if (!(error instanceof StartupError)) throw error;
        const reason = reasonOf(error);
        logger.error({ reason }, "the certificate is wrong: it stays as it was");
      }
    },
    async close() {
      const ended = listeners.close();
      await app.close();
      await ended;
    },
    destroyConnections: () => listeners.destroyConnections(),
  };
}

/**
 * Listens for a moment, before anything is opened that takes long.
 * @throws {StartupError} when the daemon could not listen now
 */
export async function expectFreeAddresses(config: EntranceConfig): Promise<void> {
  const bound = await bindServers(placesOf(config), () =>
    createServer((socket) => socket.destroy()),
  );
  await Promise.all(
    bound.map(async ({ server }) => {
      server.close();
      await once(server, "close");
    }),
  );
}

function placesOf({ host, port }: EntranceConfig) {
  return { addresses: host.map(listenAddressOf), port };
}
