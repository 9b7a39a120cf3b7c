import { isIP, isIPv4 } from "node:net";
import { GgufdError } from "../core/errors.js";
import type { ListenAddress } from "../core/listen-address.js";
import type { RequestCheck } from "./request-checks.js";

/** Which hosts requests may name. */
export type AcceptedHosts =
  | { readonly type: "any" }
  | {
      readonly type: "listed";
      /** In lower case, addresses without brackets. */
      readonly names: ReadonlySet<string>;
      /** A page that was loaded from an address has no name that could be rebound. */
      readonly addresses: "loopback" | "any";
    };

/**
 * Which hosts requests may name. Without names a server that others reach accepts all of them; one that
 * listens for its own machine only accepts none but that machine's. That holds for requests over Unix sockets as well:
 * no page is bound to one, but a proxy before it may be reached under a name that is.
 * @param names of `--allowed-host`
 */
export function acceptedHosts(
  addresses: readonly ListenAddress[],
  names: readonly string[],
): AcceptedHosts {
  const isOwnMachine = isOfOwnMachine(addresses);
  if (!isOwnMachine && names.length === 0) return { type: "any" };
  return {
    type: "listed",
    names: new Set(names.map(normaliseHost)),
    addresses: isOwnMachine ? "loopback" : "any",
  };
}

/** Whether a server that listens there is reached from its own machine only: over loopback addresses and Unix sockets. */
export function isOfOwnMachine(addresses: readonly ListenAddress[]): boolean {
  return addresses.every((one) => one.kind === "unix" || isLoopback(normaliseHost(one.host)));
}

/**
 * Whether a `Host` header names an accepted host, on whatever port. Names that end in `.localhost` are
 * always this machine's own (RFC 6761, section 6.3).
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
 * Refuses requests that name another host than this one. A web page whose name is bound to a loopback
 * address after it was loaded (DNS rebinding) is of the same origin as this server for the browser, and
 * only the name in `Host` distinguishes it from a page of the user's.
 */
export function checkHost(accepted: AcceptedHosts): RequestCheck {
  return ({ raw }) => {
    const [host, ...others] = hostsOf(raw.rawHeaders);
    if (others.length > 0) {
      return new GgufdError(
        "invalid_request",
        `host: expected one Host header, got ${1 + others.length}.`,
      );
    }
    if (host === undefined) {
      // Browsers always send one; old health checks speak HTTP/1.0 and do not.
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

/** A name or an IPv4 address, or an IPv6 address in brackets; a port may follow. */
const HOST_AND_PORT = /^([\w.-]+|\[[\da-f:.]+\])(?::\d*)?$/i;

/** Lower case, without brackets and without the dot of a fully qualified name. */
function normaliseHost(written: string): string {
  return written
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/(?<=.)\.$/, "");
}

function isLoopback(host: string): boolean {
  const address = host.replace(/^::ffff:(?=\d+\.)/, "");
  if (isIPv4(address)) return address.startsWith("127.");
  return address === "::1" || address === "localhost" || address.endsWith(".localhost");
}

/** @param rawHeaders names and values in turn; Node.js' own view drops all but the first of a name */
function hostsOf(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === "host",
  );
}
