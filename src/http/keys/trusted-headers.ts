import type { IncomingMessage } from "node:http";
import { GgufdError } from "../../core/errors.js";
import { isLoopbackAddress } from "../loopback.js";
import type { ProxyUser } from "./identities.js";

/** Headers of an authenticating proxy on this machine, in lower case. */
export interface TrustedHeaders {
  readonly user: string;
  /** List of the user's groups, separated by commas; absent: there are no groups. */
  readonly groups?: string | undefined;
}

/**
 * Reads the user that a proxy on this machine names. The connection decides: addresses that other
 * headers report are not considered. A header that is sent twice may be the client's own, followed
 * by the proxy's, and is refused.
 * @returns `undefined` if the request names no user, or comes from another machine
 * @throws {GgufdError} `invalid_api_key`
 */
export function readProxyUser(
  { socket, rawHeaders }: Pick<IncomingMessage, "rawHeaders"> & PeerConnection,
  headers: TrustedHeaders,
): ProxyUser | undefined {
  if (!isOnThisMachine(socket.remoteAddress)) return undefined;
  const user = readOnce(rawHeaders, headers.user);
  if (user === undefined) return undefined;
  const groups = headers.groups === undefined ? "" : (readOnce(rawHeaders, headers.groups) ?? "");
  return { user, groups: groups.split(",").flatMap((group) => group.trim() || []) };
}

interface PeerConnection {
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** @param address of the connection's client; `undefined`: the client of a Unix socket */
function isOnThisMachine(address: string | undefined): boolean {
  return address === undefined || isLoopbackAddress(address);
}

/** @param rawHeaders alternating names and values */
function readOnce(rawHeaders: readonly string[], name: string): string | undefined {
  const values = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name,
  );
  if (values.length > 1) {
    throw new GgufdError(
      "invalid_api_key",
      `${name}: expected this header once, from the proxy, got it ${values.length} times.`,
    );
  }
  return values[0]?.trim() || undefined;
}
