import { reasonOf } from "../../src/core/reason-of.js";

/** A call without an answer for this long has failed. */
const CALL_TIMEOUT_MS = 30_000;

/** One call of a route that answers at once. */
export interface CallRecord {
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** Parsed; absent where there is none. */
  readonly body: unknown;
  /** Absent when the status was 2xx. */
  readonly error: string | undefined;
}

/** Calls a route with JSON, if there is any. Never rejects. */
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
    return settled(undefined, reasonOf(error));
  }
}
