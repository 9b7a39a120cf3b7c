import { isIP } from "node:net";
import { GgufdError } from "../core/errors.js";
import type { ListenAddress } from "../core/listen-address.js";
import { isLoopbackAddress } from "./loopback.js";
import type { RequestCheck } from "./request-checks.js";

/** Host names and addresses that the `Host` header may name. */
export type AcceptedHosts =
  | { readonly type: "any" }
  | {
      readonly type: "listed";
      /** Lower case; IPv6 addresses without brackets. */
      readonly names: ReadonlySet<string>;
      /** Whether every address is accepted: an address, unlike a name, cannot be rebound. */
      readonly addresses: "loopback" | "any";
    };

/**
 * Builds the set of accepted hosts. Without configured names, a server on a public address accepts
 * every host, and a server on loopback addresses or Unix sockets accepts only the names of its own
 * machine. Unix sockets are checked as well: a proxy in front of one may be reachable under a
 * rebound name.
 * @param names of `--allowed-host`
 */
export function buildAcceptedHosts(
  addresses: readonly ListenAddress[],
  names: readonly string[],
): AcceptedHosts {
  const isLocal = isLocalOnly(addresses);
  if (!isLocal && names.length === 0) return { type: "any" };
  return {
    type: "listed",
    names: new Set(names.map(normaliseHost)),
    addresses: isLocal ? "loopback" : "any",
  };
}

/**
 * Whether all addresses are loopback addresses or Unix sockets, reachable only from the same
 * machine.
 */
export function isLocalOnly(addresses: readonly ListenAddress[]): boolean {
  return addresses.every((one) => one.kind === "unix" || isLoopback(normaliseHost(one.host)));
}

/**
 * Whether a `Host` header names an accepted host; the port is ignored. Names ending in `.localhost`
 * always refer to the local machine (RFC 6761, section 6.3).
 */
export function acceptsHost(accepted: AcceptedHosts, header: string): boolean {
  if (accepted.type === "any") return true;
  const [, written] = HOST_AND_PORT.exec(header) ?? [];
  if (written === undefined) return false;
  const host = normaliseHost(written);
  if (isLoopback(host) || accepted.names.has(host)) return true;
  return accepted.addresses === "any" && isIP(host) !== 0;
}

/**
 * Refuses requests whose `Host` header names another host. After DNS rebinding (a web page's name
 * is rebound to a loopback address once it has loaded), the browser treats the page and this server
 * as the same origin, and only the name in `Host` distinguishes them.
 */
export function checkHost(accepted: AcceptedHosts): RequestCheck {
  return ({ raw }) => {
    const [host, ...others] = collectHostHeaders(raw.rawHeaders);
    if (others.length > 0) {
      return new GgufdError(
        "invalid_request",
        `host: expected one Host header, got ${1 + others.length}.`,
      );
    }
    if (host === undefined) {
      // Browsers always send `Host`; old health checks speak HTTP/1.0 and omit it.
      if (raw.httpVersion === "1.0") return undefined;
      return new GgufdError("invalid_request", "host: expected a Host header, got none.");
    }
    if (acceptsHost(accepted, host)) return undefined;
    return new GgufdError(
      "host_not_allowed",
      `host: expected this machine (localhost, 127.0.0.1) or a host that --allowed-host names, got ${JSON.stringify(host)}.`,
    );
  };
}

/** A name, an IPv4 address or a bracketed IPv6 address, with an optional port. */
const HOST_AND_PORT = /^([\w.-]+|\[[\da-f:.]+\])(?::\d*)?$/i;

/** Lower-cases a host and removes brackets and the trailing dot of a fully qualified name. */
function normaliseHost(written: string): string {
  return written
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/(?<=.)\.$/, "");
}

function isLoopback(host: string): boolean {
  return isLoopbackAddress(host) || host === "localhost" || host.endsWith(".localhost");
}

/**
 * Returns all `Host` values; `headers` of Node.js keeps only the first.
 * @param rawHeaders alternating names and values
 */
function collectHostHeaders(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === "host",
  );
}
