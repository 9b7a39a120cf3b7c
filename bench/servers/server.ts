import type { ModelPurpose } from "../model-purpose.js";

/** Which server it is, where requests to it differ from the others'. */
export type ServerKind = "ggufd" | "llama-server" | "external";

/** One server of a comparison: the benchmark starts it, or it is already running. */
export interface Side {
  readonly kind: ServerKind;
  /** Its name in tables, e.g. `llama-server`. */
  readonly label: string;
  start(signal: AbortSignal): Promise<RunningServer>;
}

/** A server that is ready for requests. */
export interface RunningServer {
  /** `http://HOST:PORT/v1` */
  readonly baseUrl: string;
  readonly version: string;
  /** Its command line, for the results, without directories. Empty for an external server. */
  readonly command: readonly string[];
  /** Absent for an external server. */
  readonly pid: number | undefined;
  stop(): Promise<void>;
  /** The daemons behind a balancer; absent where there is none. */
  readonly replicas?: readonly Replica[];
}

/** One of the daemons behind a balancer. */
export interface Replica {
  readonly name: string;
  /** Stops it with SIGTERM, starts it again, and resolves when it is asked again. */
  restart(signal: AbortSignal): Promise<void>;
}

/** Models of which not all may be loaded at once. */
export interface SeveralModels {
  readonly files: readonly NamedFile[];
  /** How many of them fit into the memory that the server is given. */
  readonly fitting: number;
}

/** A model's file, and the model's name in the API. */
export interface NamedFile {
  readonly name: string;
  readonly path: string;
}

/** Settings that are the same for all servers of a comparison. */
export interface ServerSettings {
  readonly modelPath: string;
  /** Loaded when they are asked for, instead of the model at `modelPath`. */
  readonly several?: SeveralModels;
  /** What the model computes. */
  readonly purpose: ModelPurpose;
  /** Files of LoRA adapters, which only requests that ask for one are answered with; absent: none. */
  readonly adapterPaths?: readonly string[];
  /** The file of a projector, with which the model reads images; absent: none. */
  readonly projectorPath?: string;
  readonly slots: number;
  /** Tokens of one slot. */
  readonly contextSize: number;
  readonly threads: number;
}

/** Starts a side's server, uses it, and stops it even when the use fails. */
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
