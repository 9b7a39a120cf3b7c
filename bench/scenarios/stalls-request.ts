import type { BodyBuilder } from "./stalls-body.js";

/** A request that costs a server far more than its client. */
export interface WorstRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With its query. `{id}`, here and in the body, stands for the id of what was prepared. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent: it has none. */
  readonly body?: BodyBuilder;
  /**
   * `pipelined`: many times on one connection, before any is answered. For what is answered with little effort.
   * @default "once"
   */
  readonly sent?: "once" | "pipelined";
  readonly prepared?: PreparedRequest;
}

/** What is sent before a request, unwatched, so that the server has something to answer it with. */
export interface PreparedRequest {
  readonly path: string;
  readonly body: BodyBuilder;
  /** @default 1 */
  readonly times?: number;
}

/** Requests by name. */
export type WorstRequests = Readonly<Record<string, WorstRequest>>;

/** One body for each name, posted to a route; the names begin with it, except those of chat completions. */
export function posted(path: string, bodies: Readonly<Record<string, BodyBuilder>>): WorstRequests {
  return Object.fromEntries(
    Object.entries(bodies).map(([name, body]) => [
      path === CHAT_PATH ? name : `${path}: ${name}`,
      { method: "POST", path, body },
    ]),
  );
}

/** Its bodies came first, and results are compared by their names. */
export const CHAT_PATH = "/v1/chat/completions";
