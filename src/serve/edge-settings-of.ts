import { allowedOriginsOf } from "../config/network-fields.js";
import type { Config } from "../config/settings/settings.js";
import { acceptedHosts } from "../http/accepted-hosts.js";
import type { EdgeSettings } from "../http/edge.js";

/** The settings that say who may reach the server, and what of it. */
export type EdgeConfig = Pick<
  Config,
  | "host"
  | "allowedHost"
  | "corsOrigin"
  | "trustProxy"
  | "maxConnections"
  | "maxConnectionsPerAddress"
  | "requestTimeout"
  | "writeTimeout"
  | "maxBody"
>;

/** What the application needs to know of its settings. */
export function edgeSettingsOf(config: EdgeConfig): EdgeSettings {
  return {
    hosts: acceptedHosts(config.host, config.allowedHost),
    origins: allowedOriginsOf(config.corsOrigin),
    proxies: config.trustProxy,
    connections: config.maxConnections,
    connectionsPerAddress: config.maxConnectionsPerAddress,
    answerTimeoutSeconds: config.requestTimeout,
    writeTimeoutMs: config.writeTimeout * 1000,
    maxBodyBytes: config.maxBody * 2 ** 20,
  };
}
