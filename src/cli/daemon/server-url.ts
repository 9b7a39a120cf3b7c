import { StartupError } from "../../core/startup-error.js";
import { preview } from "../../validation/preview.js";

/**
 * The URL of a server as it is typed: `localhost:8080`, `http://host/prefix/`.
 * @throws {StartupError}
 */
export function serverUrlOf(text: string): string {
  const url = /^[a-z][\w+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (/^https?:/i.test(url) && URL.canParse(url)) return url.replace(/\/+$/, "");
  throw new StartupError(`expected the URL of a running ggufd, got ${preview(text)}`);
}

/** Addresses that a server listens on for all networks, and no client connects to. */
const OF_ALL_NETWORKS: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** The URL that a daemon with these settings has on this machine. */
export function configuredUrlOf({ host, port }: { readonly host: string; readonly port: number }) {
  const name = OF_ALL_NETWORKS[host] ?? host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
