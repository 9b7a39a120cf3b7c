/** Address that a server listens on: a TCP host, or the path of a Unix socket. */
export type ListenAddress =
  | {
      readonly kind: "tcp";
      /** IP address without brackets, or host name. */
      readonly host: string;
      /** Absent: the port that all such addresses of the server share. */
      readonly port?: number;
    }
  | { readonly kind: "unix"; readonly path: string };

/** Prefix of a Unix socket's path in settings. */
export const UNIX_PREFIX = "unix:";

/** Formats an address as its setting is written: `::1`, `[::1]:9090`, `unix:/run/ggufd.sock`. */
export function formatListenAddress(address: ListenAddress): string {
  if (address.kind === "unix") return `${UNIX_PREFIX}${address.path}`;
  const { host, port } = address;
  if (port === undefined) return host;
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Stands for all clients of a Unix socket, which have no address. */
export const UNIX_CLIENTS = "unix";
