import { isIP, isIPv4, isIPv6 } from "node:net";
import { z } from "zod";
import { formatListenAddress, type ListenAddress, UNIX_PREFIX } from "../core/listen-address.js";
import { isHostName } from "./setting-fields.js";

/** Maximum bytes of a Unix socket's path: Linux's `sun_path` without its terminating NUL. */
const MAX_PATH_BYTES = 107;

const MAX_PORT = 65_535;

/** Host of an address that is only a port. */
const LOOPBACK = "127.0.0.1";

/** A port, after a host name, an IPv4 address or an IPv6 address in brackets. */
const HOST_AND_PORT = /^(?:(\[.*\]|[^:]*):)?(\d{1,5})$/;

interface AddressForm {
  readonly parse: (text: string) => ListenAddress;
  readonly expected: string;
  readonly minimum: number;
}

/**
 * Schema of addresses that share a port, as text: one, several separated by commas, or a list of
 * either.
 */
export function listenAddresses() {
  return addressList({
    parse: parseListenAddress,
    expected: "expected an address such as 127.0.0.1, a host name or unix:PATH",
    minimum: 1,
  });
}

/** Schema of addresses that have their own ports, written as in {@link listenAddresses}. */
export function addressesWithPorts() {
  return addressList({
    parse: parseAddressWithPort,
    expected: "expected a port, an address with a port such as 127.0.0.1:9090, or unix:PATH",
    minimum: 0,
  });
}

function addressList({ parse, expected, minimum }: AddressForm) {
  return z.preprocess(
    (raw) => (typeof raw === "string" || Array.isArray(raw) ? [raw].flat().flatMap(split) : raw),
    z
      .array(z.string({ error: expected }), { error: expected })
      .min(minimum, { error: expected })
      // Checks the whole list, since a single text may contain several entries.
      .check(({ value, issues }) => {
        const addresses = value.map(parse);
        const [mistake = findRepetition(addresses)] = addresses.flatMap(
          (one) => findMistake(one, expected) ?? [],
        );
        if (mistake !== undefined) issues.push({ code: "custom", input: value, message: mistake });
      }),
  );
}

/** Parses an entry of {@link listenAddresses}. */
export function parseListenAddress(text: string): ListenAddress {
  return text.startsWith(UNIX_PREFIX)
    ? { kind: "unix", path: text.slice(UNIX_PREFIX.length) }
    : { kind: "tcp", host: withoutBrackets(text) };
}

/**
 * Parses an entry of {@link addressesWithPorts}; a port alone is one of the loopback address.
 * @returns an address with port `NaN` if the entry has no port
 */
export function parseAddressWithPort(text: string): ListenAddress {
  if (text.startsWith(UNIX_PREFIX)) return parseListenAddress(text);
  const [, host = LOOPBACK, port] = HOST_AND_PORT.exec(text) ?? [];
  return { kind: "tcp", host: withoutBrackets(host), port: Number(port) };
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, "$1");
}

function split(entry: unknown): unknown[] {
  return typeof entry === "string" ? entry.split(",") : [entry];
}

function findMistake(address: ListenAddress, expected: string): string | undefined {
  if (address.kind === "tcp") {
    const { host, port = 0 } = address;
    const isAddress = isIP(host) !== 0 || isHostName(host);
    return isAddress && port <= MAX_PORT ? undefined : expected;
  }
  if (address.path === "" || address.path.includes("\0")) return expected;
  const bytes = Buffer.byteLength(address.path);
  return bytes > MAX_PATH_BYTES
    ? `expected the path of a Unix socket to have at most ${MAX_PATH_BYTES} bytes, not ${bytes}`
    : undefined;
}

/** Finds an address that occurs twice or is included in another one. */
function findRepetition(addresses: readonly ListenAddress[]): string | undefined {
  const written = addresses.map(formatListenAddress);
  if (new Set(written).size < written.length) return "expected each address once";
  const included = addresses.find((one) =>
    wildcardsOf(one).some((all) => written.includes(formatListenAddress(all))),
  );
  return (
    included &&
    `expected distinct addresses, but another one includes ${formatListenAddress(included)}`
  );
}

/**
 * Returns the wildcard addresses that include an address. `::` covers both families unless
 * `0.0.0.0` is listed.
 */
function wildcardsOf(address: ListenAddress): readonly ListenAddress[] {
  if (address.kind === "unix") return [];
  return wildcardHostsOf(address.host).map((host) => ({ ...address, host }));
}

function wildcardHostsOf(host: string): readonly string[] {
  if (isIPv4(host)) return host === "0.0.0.0" ? [] : ["0.0.0.0", "::"];
  return isIPv6(host) && host !== "::" ? ["::"] : [];
}
