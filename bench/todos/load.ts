/** Closed-loop load: each client sends its next request as soon as it has received a response. */
export interface Load {
  /** `http://HOST:PORT` */
  readonly origin: string;
  /** At least one request; each client cycles through them. */
  readonly requests: readonly LoadRequest[];
  readonly clients: number;
  readonly until: StopCondition;
}

export interface LoadRequest {
  readonly method: "GET" | "POST";
  /** Path, including the query string. */
  readonly path: string;
  /** JSON body. */
  readonly body?: string;
}

/** A load ends when either limit is reached; see {@link isOver}. */
export interface StopCondition {
  readonly seconds: number;
  readonly responses: number;
}

/** Result of a load; all statuses were 2xx. */
export interface LoadResult {
  /** Responses in order of arrival. */
  readonly responses: readonly TimedResponse[];
  /**
   * Number of successful requests, including those after the last of `responses`, while clients
   * stop.
   */
  readonly successes: number;
  /** CPU time of the load-generator process, as a share of one core. */
  readonly cpuShare: number;
}

export interface TimedResponse {
  /** Arrival time, relative to the start of the load. */
  readonly afterMs: number;
  readonly latencyMs: number;
}

/**
 * Whether a load is over. After `seconds` it continues until there are as many responses as
 * clients: a slow server that responds to all clients in one burst must not be measured by a part
 * of its first burst.
 */
export function isOver({ clients, until }: Load, responses: number, elapsedMs: number): boolean {
  if (responses >= until.responses) return true;
  return elapsedMs >= until.seconds * 1000 && responses >= clients;
}

/** Returns a short load with the same requests, which compiles the code before the measurement. */
export function warmUpLoad(load: Load): Load {
  return { ...load, clients: 1, until: { seconds: 1, responses: 500 } };
}
