/** A server that a benchmark can start, or finds running. */
export interface Side {
  /** Its name in tables, e.g. `llama-server`. */
  readonly label: string;
  start(signal: AbortSignal): Promise<RunningServer>;
}

/** A server that answers. */
export interface RunningServer {
  /** `http://HOST:PORT/v1` */
  readonly baseUrl: string;
  readonly version: string;
  /** How it was started, for the record; folders are left out. Empty when it was running before. */
  readonly command: readonly string[];
  /** Absent when it was running before. */
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

/** What both servers of a comparison get alike. */
export interface ServerSettings {
  readonly modelPath: string;
  readonly slots: number;
  /** Tokens of one slot. */
  readonly contextSize: number;
  readonly threads: number;
}

/** Uses a side's server and stops it, however the use ends. */
export async function withServer<Result>(
  side: Side,
  signal: AbortSignal,
  use: (server: RunningServer) => Promise<Result>,
): Promise<Result> {
  const server = await side.start(signal);
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}
