import assert from "node:assert/strict";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { type AddressInfo, isIPv6, type ListenOptions, type Server } from "node:net";
import { formatListenAddress, type ListenAddress } from "../core/listen-address.js";
import { StartupError } from "../core/startup-error.js";
import { removeStaleSocket, restrictSocket } from "./unix-socket.js";

export interface BindOptions {
  /** The setting that the addresses come from, for errors. */
  readonly setting: "--host" | "--metrics-listen";
  readonly addresses: readonly ListenAddress[];
  /**
   * Port of the hosts without their own; 0: any port that is free on all of them. Absent: every
   * host has a port.
   */
  readonly port?: number;
}

/** A listening server. */
export interface BoundServer {
  readonly server: Server;
  readonly endpoint:
    | { readonly kind: "tcp" /** `127.0.0.1:8080`, `[::1]:8080` */; readonly authority: string }
    | { readonly kind: "unix"; readonly path: string };
}

/**
 * Listen backlog. With Node's default of 511, some of a thousand clients that connect at once have
 * to retry after a second. The operating system caps it at its own limit.
 */
const LISTEN_BACKLOG = 4096;

/**
 * Attempts to find a common free port: a port free on the first host may be taken on the others.
 */
const ATTEMPTS = 10;

/**
 * Listens on all addresses, or on none.
 * @param createServer creates the server of an address, not yet listening
 * @throws {StartupError} naming the address that cannot be bound
 */
export async function bindServers(
  bindOptions: BindOptions,
  createServer: (address: ListenAddress) => Server,
): Promise<readonly BoundServer[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryToBind(bindOptions, createServer);
    } catch (error) {
      const mayBeFreeElsewhere = bindOptions.port === 0 && isTaken(error);
      if (!mayBeFreeElsewhere || attempt === ATTEMPTS) throw error;
    }
  }
}

/** A resolved address to bind. */
interface Target {
  readonly address: ListenAddress;
  /** Only the first address of a host name must bind. */
  readonly need: "required" | "where-possible";
}

async function tryToBind(
  options: BindOptions,
  createServerOf: (address: ListenAddress) => Server,
): Promise<readonly BoundServer[]> {
  const bound: BoundServer[] = [];
  const { setting, addresses } = options;
  let { port } = options;
  try {
    for (const { address, need } of (await Promise.all(addresses.map(resolveTargets))).flat()) {
      const server = createServerOf(address);
      try {
        await bind(server, buildListenOptions(address, { setting, addresses, port }), setting);
      } catch (error) {
        if (need === "where-possible") continue;
        throw toListenError(address, { setting, port }, error);
      }
      bound.push({ server, endpoint: readBoundEndpoint(server, address) });
      if (address.kind === "tcp" && address.port === undefined) {
        port = (server.address() as AddressInfo).port;
      }
    }
    return bound;
  } catch (error) {
    for (const { server } of bound) server.close();
    throw error;
  }
}

/** Resolves an address; `localhost` means both families where both exist. */
async function resolveTargets(address: ListenAddress): Promise<readonly Target[]> {
  const asWritten: readonly Target[] = [{ address, need: "required" }];
  if (address.kind === "unix" || address.host !== "localhost") return asWritten;
  const found = await lookup(address.host, { all: true }).catch(() => []);
  if (found.length === 0) return asWritten;
  const hosts = [...new Set(found.map((one) => one.address))];
  return hosts.map((host, index) => ({
    address: { ...address, host },
    need: index === 0 ? "required" : "where-possible",
  }));
}

function buildListenOptions(
  address: ListenAddress,
  { addresses, port }: BindOptions,
): ListenOptions {
  const backlog = LISTEN_BACKLOG;
  if (address.kind === "unix") return { path: address.path, backlog };
  const { host, port: ownPort = port } = address;
  assert(ownPort !== undefined, `expected a port for ${host}`);
  const hasIPv4 = addresses.some(
    (one) => one.kind === "tcp" && one.host === "0.0.0.0" && one.port === address.port,
  );
  return { host, port: ownPort, backlog, ipv6Only: host === "::" && hasIPv4 };
}

async function bind(
  server: Server,
  options: ListenOptions,
  setting: BindOptions["setting"],
): Promise<void> {
  const { path } = options;
  if (path !== undefined) await removeStaleSocket(path, setting);
  server.listen(options);
  await once(server, "listening");
  if (path === undefined) return;
  try {
    await restrictSocket(path);
  } catch (error) {
    server.close();
    throw error;
  }
}

function readBoundEndpoint(server: Server, address: ListenAddress): BoundServer["endpoint"] {
  if (address.kind === "unix") return address;
  const { address: host, port } = server.address() as AddressInfo;
  return { kind: "tcp", authority: `${isIPv6(host) ? `[${host}]` : host}:${port}` };
}

function isTaken(error: unknown): boolean {
  const { cause } = error as Error;
  return cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE";
}

function toListenError(
  address: ListenAddress,
  { setting, port }: Pick<BindOptions, "setting" | "port">,
  error: unknown,
): StartupError {
  if (error instanceof StartupError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const written = `${setting} ${formatListenAddress(address)}`;
  if (address.kind === "unix") {
    return code === "EACCES"
      ? new StartupError(`${written}: permission denied while creating the socket`, error)
      : new StartupError(`${written}: cannot listen: ${message}`, error);
  }
  const isShared = address.port === undefined;
  if (code === "EADDRINUSE") {
    const mistake = isShared
      ? `--port ${port}: already in use on ${address.host}; choose another`
      : `${written}: already in use; choose another port`;
    return new StartupError(mistake, error);
  }
  if (code === "EACCES") {
    return new StartupError(`${isShared ? `--port ${port}` : written}: permission denied`, error);
  }
  const complete = isShared ? `${written} --port ${port}` : written;
  return new StartupError(`${complete}: cannot listen: ${message}`, error);
}
