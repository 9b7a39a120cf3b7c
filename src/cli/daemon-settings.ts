import { type LoadedConfig, loadConfig } from "../config/load-config.js";
import type { DaemonChoice } from "./daemon/find-daemon.js";
import { parseServerUrl, selectConfiguredUrl } from "./daemon/server-url.js";

/** Returns the first key, since the environment variable may hold several, comma-separated. */
export function firstKeyOf(keys: string | undefined): string | undefined {
  return keys?.split(",")[0];
}

/**
 * Returns the daemon that a command connects to, and the settings of this machine.
 * @throws {StartupError}
 */
export function loadDaemonSettings({
  url,
  apiKey,
  ...flags
}: Readonly<Record<string, unknown>> & { readonly url?: string; readonly apiKey?: string }): {
  readonly daemon: DaemonChoice;
  readonly config: LoadedConfig["config"];
} {
  const { config } = loadConfig({ flags, environment: process.env });
  const keyFromFlags = firstKeyOf(apiKey);
  const daemon: DaemonChoice =
    url === undefined
      ? {
          selection: "configured",
          url: selectConfiguredUrl(config),
          apiKey: keyFromFlags ?? config.apiKey[0],
        }
      : // Configured keys apply to this machine's daemon only.
        { selection: "named", url: parseServerUrl(url), apiKey: keyFromFlags };
  return { daemon, config };
}
