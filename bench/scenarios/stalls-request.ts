import type { BodyBuilder } from "./stalls-body.js";

/** Request that costs a server far more than its client. */
export interface WorstRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /**
   * Path, including the query. `{id}`, here and in the body, is replaced by the id of the prepared
   * object.
   */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent: no body. */
  readonly body?: BodyBuilder;
  /**
   * `pipelined`: many times on one connection without waiting for answers, for requests that are
   * cheap to answer.
   * @default "once"
   */
  readonly sent?: "once" | "pipelined";
  readonly prepared?: PreparedRequest;
}

/** Request sent before the measured one, unobserved, to create the data that it refers to. */
export interface PreparedRequest {
  readonly path: string;
  readonly body: BodyBuilder;
  /** @default 1 */
  readonly times?: number;
}

/** Requests by name. */
export type WorstRequests = Readonly<Record<string, WorstRequest>>;

/**
 * Builds requests that post each body to a route; names begin with the route, except for chat
 * completions.
 */
export function posted(path: string, bodies: Readonly<Record<string, BodyBuilder>>): WorstRequests {
  return Object.fromEntries(
    Object.entries(bodies).map(([name, body]) => [
      path === CHAT_PATH ? name : `${path}: ${name}`,
      { method: "POST", path, body },
    ]),
  );
}

/**
 * Route whose bodies have names without it, because results are compared by name and these were
 * first.
 */
export const CHAT_PATH = "/v1/chat/completions";
