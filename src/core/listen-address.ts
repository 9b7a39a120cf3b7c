/**
 * Address that a server listens on: a TCP host, where all hosts share one port, or the path of a
 * Unix socket.
 */
export type ListenAddress =
  | {
      readonly kind: "tcp";
      /** IP address without brackets, or host name. */
      readonly host: string;
    }
  | { readonly kind: "unix"; readonly path: string };

/** Stands for all clients of a Unix socket, which have no address. */
export const UNIX_CLIENTS = "unix";
