import { once } from "node:events";
import { createServer } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { parseListenAddress } from "../config/listen-addresses.js";
import { type Certificate, readCertificate } from "../config/read-certificate.js";
import type { Config } from "../config/settings.js";
import { formatReason } from "../core/format-reason.js";
import { StartupError } from "../core/startup-error.js";
import { type BindOptions, type BoundServer, bindServers } from "../http/bind-servers.js";
import { openListeners } from "../http/listeners.js";
import { buildMetricsBindOptions, type MetricsListenerConfig } from "./metrics-listener.js";

/** Settings of the addresses and TLS certificate that the server listens with. */
export type EntranceConfig = Pick<
  Config,
  "host" | "port" | "tlsCert" | "tlsKey" | "maxConnectionsPerAddress" | "trustProxy"
>;

/** The server's listening sockets. */
export interface Entrance {
  /** URL of each address: `https://127.0.0.1:8080`, `unix:/run/ggufd.sock`. */
  readonly urls: readonly string[];
  /**
   * Reloads the TLS certificate, if there is one. If the new one is invalid, the old one stays in
   * use.
   */
  reload(): void;
  /**
   * Stops accepting connections and closes the application. Resolves when the last connection has
   * ended.
   */
  close(): Promise<void>;
  /** Destroys all connections at once. */
  destroyConnections(): void;
}

export interface EntranceOptions {
  readonly config: EntranceConfig;
  readonly certificate: Certificate | undefined;
  readonly logger: Logger;
}

/**
 * Makes an application listen at the configured addresses, if any.
 * @throws {StartupError} naming the address that cannot be listened on
 */
export async function openEntrance(
  app: FastifyInstance,
  { config, certificate, logger }: EntranceOptions,
): Promise<Entrance> {
  await app.ready();
  const listeners = await openListeners({
    ...bindOptionsOf(config),
    server: app.server,
    pair: certificate,
    limits: { perAddress: config.maxConnectionsPerAddress, proxies: config.trustProxy },
    log: logger,
  });
  return {
    urls: listeners.urls,
    reload() {
      try {
        const newPair = readCertificate(config);
        if (newPair === undefined) return;
        listeners.replacePair(newPair);
        logger.info({ validTo: newPair.validTo }, "the certificate was read again");
      } catch (error) {
        if (!(error instanceof StartupError)) throw error;
        const reason = formatReason(error);
        logger.error({ reason }, "the new certificate is invalid; the previous one remains in use");
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
 * Checks that the configured addresses are free, by listening on them briefly before anything slow
 * is started.
 * @throws {StartupError} if an address cannot be listened on
 */
export async function expectFreeAddresses(
  config: EntranceConfig & MetricsListenerConfig,
): Promise<void> {
  const bound: BoundServer[] = [];
  try {
    // All at once: the metrics must not have an address of the entrance.
    for (const options of [bindOptionsOf(config), buildMetricsBindOptions(config)]) {
      const servers = await bindServers(options, () => createServer((socket) => socket.destroy()));
      bound.push(...servers);
    }
  } finally {
    await Promise.all(
      bound.map(async ({ server }) => {
        server.close();
        await once(server, "close");
      }),
    );
  }
}

function bindOptionsOf({ host, port }: EntranceConfig): BindOptions {
  return { setting: "--host", addresses: host.map(parseListenAddress), port };
}
