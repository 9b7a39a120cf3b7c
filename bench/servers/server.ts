import type { ModelPurpose } from "../model-purpose.js";

/** Kind of server, for requests that differ between servers. */
export type ServerKind = "ggufd" | "llama-server" | "external";

/** Server of a comparison, which the benchmark starts, or which is already running. */
export interface Side {
  readonly kind: ServerKind;
  /** Name in tables, e.g. `llama-server`. */
  readonly label: string;
  start(signal: AbortSignal): Promise<RunningServer>;
}

/** Server that is ready for requests. */
export interface RunningServer {
  /** `http://HOST:PORT/v1` */
  readonly baseUrl: string;
  readonly version: string;
  /** Command line without directories, for the results. Empty for an external server. */
  readonly command: readonly string[];
  /** Absent for an external server. */
  readonly pid: number | undefined;
  /** Time from the start until `/health` returned 200, in milliseconds; absent: not measured. */
  readonly readyMs?: number;
  stop(): Promise<void>;
  /** Daemons behind a load balancer; absent if there is none. */
  readonly replicas?: readonly Replica[];
}

/** Daemon behind a load balancer. */
export interface Replica {
  readonly name: string;
  /** Stops the daemon with SIGTERM, starts it again, and resolves once it receives requests. */
  restart(signal: AbortSignal): Promise<void>;
}

/** Models of which not all may be loaded at once. */
export interface SeveralModels {
  readonly files: readonly NamedFile[];
  /** Number of models that fit into the server's memory. */
  readonly fitting: number;
}

/** File of a model, and its name in the API. */
export interface NamedFile {
  readonly name: string;
  readonly path: string;
}

/** Settings shared by all servers of a comparison. */
export interface ServerSettings {
  readonly modelPath: string;
  /** Models loaded on demand, instead of the model at `modelPath`. */
  readonly several?: SeveralModels;
  /** Purpose of the model. */
  readonly purpose: ModelPurpose;
  /** Files of LoRA adapters, which apply only to requests that select them; absent: none. */
  readonly adapterPaths?: readonly string[];
  /** File of an image projector; absent: none. */
  readonly projectorPath?: string;
  readonly slots: number;
  /** Tokens per slot. */
  readonly contextSize: number;
  readonly threads: number;
}

/**
 * Starts a side's server for the duration of a callback, and stops it even if the callback fails.
 */
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
