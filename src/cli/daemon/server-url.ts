import assert from "node:assert/strict";
import type { Agent } from "undici";
import { parseListenAddress } from "../../config/listen-addresses.js";
import type { Config } from "../../config/settings.js";
import type { ListenAddress } from "../../core/listen-address.js";
import { StartupError } from "../../core/startup-error.js";
import { preview } from "../../validation/preview.js";

/**
 * Prefix of server URLs with a Unix socket: `unix:SOCKET[:PATH]`, as in nginx, where PATH is the
 * prefix of all routes. Example: `unix:/run/ggufd.sock:/llm`.
 */
const UNIX_PREFIX = "unix:";

/**
 * Normalises the URL of a server as typed: `localhost:8080`, `http://host/prefix/`,
 * `unix:/run/ggufd.sock`.
 * @throws {StartupError}
 */
export function parseServerUrl(text: string): string {
  if (isUnixUrl(text)) return expectPath(text);
  const url = /^[a-z][\w+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (/^https?:/i.test(url) && URL.canParse(url)) return url.replace(/\/+$/, "");
  const [, port] = /^https?:\/\/[^/]*:([^/:\]]*)(?:\/|$)/i.exec(url) ?? [];
  if (port !== undefined) {
    throw new StartupError(
      `expected a port from 1 to 65535, got ${preview(port)} in ${preview(text)}`,
    );
  }
  throw new StartupError(`expected the URL of a running ggufd, got ${preview(text)}`);
}

/** @throws {StartupError} */
function expectPath(text: string): string {
  if (text !== UNIX_PREFIX) return text;
  throw new StartupError(`expected unix:PATH, got ${preview(text)}`);
}

/** Wildcard addresses that servers listen on, with the loopback addresses for clients. */
const LOOPBACK_ADDRESSES: Readonly<Record<string, string>> = {
  "0.0.0.0": "127.0.0.1",
  "::": "::1",
};

/** Returns the URL of a daemon with these settings; prefers one that needs no certificate. */
export function selectConfiguredUrl({
  host,
  port,
  tlsCert,
  apiPrefix = "",
}: Pick<Config, "host" | "port" | "tlsCert" | "apiPrefix">): string {
  const addresses = host.map(parseListenAddress);
  const preferredKind = tlsCert === undefined ? "tcp" : "unix";
  const address = addresses.find(({ kind }) => kind === preferredKind) ?? addresses[0];
  assert(address !== undefined, "expected an address");
  const scheme = tlsCert === undefined ? "http" : "https";
  return formatServerUrl(address, { scheme, port, pathPrefix: apiPrefix });
}

interface UrlParts {
  readonly scheme: "http" | "https";
  readonly port: number;
  /** Path that the paths of all routes begin with. */
  readonly pathPrefix: string;
}

function formatServerUrl(address: ListenAddress, { scheme, port, pathPrefix }: UrlParts): string {
  if (address.kind === "unix") {
    return `${UNIX_PREFIX}${address.path}${pathPrefix === "" ? "" : `:${pathPrefix}`}`;
  }
  const name = LOOPBACK_ADDRESSES[address.host] ?? address.host;
  return `${scheme}://${name.includes(":") ? `[${name}]` : name}:${port}${pathPrefix}`;
}

/** Whether a server is at a Unix socket. */
export function isUnixUrl(url: string): boolean {
  return url.startsWith(UNIX_PREFIX);
}

/** Connection parameters of a server. */
export interface Endpoint {
  /** Base URL of paths. */
  readonly base: string;
  readonly connection: Pick<Agent.Options, "connect">;
}

/** @param url result of {@link parseServerUrl} or {@link selectConfiguredUrl} */
export function toEndpoint(url: string): Endpoint {
  if (!isUnixUrl(url)) return { base: url, connection: {} };
  const [, socketPath = "", pathPrefix = ""] = /^unix:(.*?)(?::(\/.*))?$/s.exec(url) ?? [];
  // Every daemon accepts this host name.
  return { base: `http://localhost${pathPrefix}`, connection: { connect: { socketPath } } };
}
