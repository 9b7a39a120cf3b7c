import { isIP, isIPv4, isIPv6 } from "node:net";
import { z } from "zod";
import type { ListenAddress } from "../core/listen-address.js";
import { isHostName } from "./setting-fields.js";

/** Prefix of a Unix socket's path in `--host`. */
const UNIX = "unix:";

/** Maximum bytes of a Unix socket's path: Linux's `sun_path` without its terminating NUL. */
const MAX_PATH_BYTES = 107;

const EXPECTED = "expected an address such as 127.0.0.1, a host name or unix:PATH";

/**
 * Schema of addresses to listen on, as text: one, several separated by commas, or a list of either.
 */
export function listenAddresses() {
  return z.preprocess(
    (raw) => (typeof raw === "string" || Array.isArray(raw) ? [raw].flat().flatMap(split) : raw),
    z
      .array(z.string({ error: EXPECTED }), { error: EXPECTED })
      .min(1, { error: EXPECTED })
      // Checks the whole list, since a single text may contain several entries.
      .check(({ value, issues }) => {
        const addresses = value.map(parseListenAddress);
        const [mistake = findRepetition(addresses)] = addresses.flatMap(
          (one) => findMistake(one) ?? [],
        );
        if (mistake !== undefined) issues.push({ code: "custom", input: value, message: mistake });
      }),
  );
}

/** Parses an entry of {@link listenAddresses}. */
export function parseListenAddress(text: string): ListenAddress {
  return text.startsWith(UNIX)
    ? { kind: "unix", path: text.slice(UNIX.length) }
    : { kind: "tcp", host: text.replace(/^\[(.*)\]$/, "$1") };
}

/** Formats an address as written for `--host`. */
function formatAddress(address: ListenAddress): string {
  return address.kind === "unix" ? `${UNIX}${address.path}` : address.host;
}

function split(entry: unknown): unknown[] {
  return typeof entry === "string" ? entry.split(",") : [entry];
}

function findMistake(address: ListenAddress): string | undefined {
  if (address.kind === "tcp") {
    return isIP(address.host) !== 0 || isHostName(address.host) ? undefined : EXPECTED;
  }
  if (address.path === "" || address.path.includes("\0")) return EXPECTED;
  const bytes = Buffer.byteLength(address.path);
  return bytes > MAX_PATH_BYTES
    ? `expected the path of a Unix socket to have at most ${MAX_PATH_BYTES} bytes, not ${bytes}`
    : undefined;
}

/** Finds an address that occurs twice or is included in another one. */
function findRepetition(addresses: readonly ListenAddress[]): string | undefined {
  const written = addresses.map(formatAddress);
  if (new Set(written).size < written.length) return "expected each address once";
  const includedHost = written.find((host) =>
    wildcardsOf(host).some((all) => written.includes(all)),
  );
  return includedHost && `expected distinct addresses, but another one includes ${includedHost}`;
}

/**
 * Returns the wildcard addresses that include an address. `::` covers both families unless
 * `0.0.0.0` is listed.
 */
function wildcardsOf(host: string): readonly string[] {
  if (isIPv4(host)) return host === "0.0.0.0" ? [] : ["0.0.0.0", "::"];
  return isIPv6(host) && host !== "::" ? ["::"] : [];
}
