import { setMaxListeners } from "node:events";
import { Agent, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { formatReason } from "../../src/core/format-reason.js";

/** Maximum number of connections that a browser opens to one server. */
const BROWSER_CONNECTIONS = 6;

/** Request with its scheduled time. */
export interface TimedRequest {
  readonly method: string;
  /** Path, including the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Time since the start of the recording. */
  readonly atMs: number;
}

/** Outcome of a replayed request; `cut`: its answer was still arriving at the end. */
export type Replayed =
  | { readonly kind: "answered" | "cut" }
  | { readonly kind: "failed"; readonly request: TimedRequest; readonly reason: string };

/**
 * Sends each request at its scheduled time, over as many connections as a browser has, and reads
 * the answers until the end of the recording.
 * @returns the outcome of each request that was sent
 */
export async function replayRequests(
  origin: string,
  requests: readonly TimedRequest[],
  { forMs, signal }: { readonly forMs: number; readonly signal: AbortSignal },
): Promise<readonly Replayed[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: BROWSER_CONNECTIONS });
  const end = new AbortController();
  // Every request adds listeners.
  setMaxListeners(0, end.signal);
  const sent = requests
    .filter(({ atMs }) => atMs < forMs)
    .map(async (timed): Promise<Replayed> => {
      try {
        await delay(timed.atMs, undefined, { signal: end.signal });
      } catch {
        return { kind: "cut" };
      }
      return send(new URL(timed.path, origin), timed, { agent, end: end.signal });
    });
  try {
    await delay(forMs, undefined, { signal });
  } finally {
    end.abort();
    agent.destroy();
  }
  return Promise.all(sent);
}

/** Never rejects. */
function send(
  url: URL,
  timed: TimedRequest,
  { agent, end }: { readonly agent: Agent; readonly end: AbortSignal },
): Promise<Replayed> {
  const { method, headers, body } = timed;
  return new Promise((resolve) => {
    const failed = (reason: string) => resolve({ kind: "failed", request: timed, reason });
    const fail = (error: unknown) =>
      end.aborted ? resolve({ kind: "cut" }) : failed(formatReason(error));
    const outgoing = request(url, { method, headers, agent, signal: end });
    outgoing.on("error", fail).on("response", (response) => {
      const { statusCode = 0 } = response;
      const answered = () =>
        statusCode < 400 ? resolve({ kind: "answered" }) : failed(`HTTP ${statusCode}`);
      response.on("error", fail).on("end", answered).resume();
    });
    outgoing.end(body);
  });
}
