/** Where a server listens: at a host, all of which share a port, or at the file of a Unix socket. */
export type ListenAddress =
  | {
      readonly kind: "tcp";
      /** An address without brackets, or a name. */
      readonly host: string;
    }
  | { readonly kind: "unix"; readonly path: string };

/** Stands for whoever connects to a Unix socket, who has no address. */
export const UNIX_CLIENTS = "unix";
