/** Requests that a number of clients send for a while, each as soon as its last one was answered. */
export interface Load {
  /** `http://HOST:PORT` */
  readonly origin: string;
  /** At least one; each client sends them in turn, over and over. */
  readonly requests: readonly LoadRequest[];
  readonly clients: number;
  readonly until: LoadEnd;
}

export interface LoadRequest {
  readonly method: "GET" | "POST";
  /** With its query. */
  readonly path: string;
  /** JSON. */
  readonly body?: string;
}

/** A load ends with whichever comes first. */
export interface LoadEnd {
  readonly seconds: number;
  readonly answers: number;
}

/** What came of a load; all answers were 2xx. */
export interface LoadResult {
  /** In the order in which they came. */
  readonly answers: readonly Answer[];
  /** All that succeeded, also while the clients were stopped, after the last of `answers`. */
  readonly successes: number;
  /** CPU time of the process that made the load, as a share of one core. */
  readonly cpuShare: number;
}

export interface Answer {
  /** Since the load began. */
  readonly afterMs: number;
  readonly latencyMs: number;
}

/**
 * Whether a load is over. Its time alone does not end it: a server that takes longer for an answer
 * is waited for until it has given as many as there are clients, so that one which answers them all
 * at once is not measured by a part of its first answers.
 */
export function isOver({ clients, until }: Load, answers: number, elapsedMs: number): boolean {
  if (answers >= until.answers) return true;
  return elapsedMs >= until.seconds * 1000 && answers >= clients;
}

/** The same requests for a moment: code is compiled before anything counts. */
export function warmUpOf(load: Load): Load {
  return { ...load, clients: 1, until: { seconds: 1, answers: 500 } };
}
