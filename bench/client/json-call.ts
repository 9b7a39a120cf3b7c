import { formatReason } from "../../src/core/format-reason.js";

/** Time without an answer after which a call counts as failed. */
const CALL_TIMEOUT_MS = 30_000;

/** Result of a call to a route that does not stream. */
export interface CallRecord {
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** Parsed body; absent if there is none. */
  readonly body: unknown;
  /** Absent if the status was 2xx. */
  readonly error: string | undefined;
}

/** Calls a route, with a JSON body if one is given. Never rejects. */
export async function callJson(method: string, url: URL, json?: object): Promise<CallRecord> {
  const startedAtMs = performance.now();
  const settled = (body: unknown, error: string | undefined): CallRecord => ({
    ...{ startedAtMs, endedAtMs: performance.now(), body, error },
  });
  try {
    const response = await fetch(url, {
      method,
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
      ...(json !== undefined && {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(json),
      }),
    });
    const content = await response.text();
    const error = response.ok ? undefined : `HTTP ${response.status}: ${content.slice(0, 200)}`;
    return settled(content === "" ? undefined : JSON.parse(content), error);
  } catch (error) {
    return settled(undefined, formatReason(error));
  }
}
