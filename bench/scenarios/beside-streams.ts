import type { RequestRecord } from "../client/request-record.js";
import { percentile } from "../statistics.js";
import { interTokenLatenciesMs, p50AndP99, succeeded, type Window } from "./reductions.js";
import type { Load } from "./scenario.js";
import { startStreams } from "./stalls-streams.js";

/** Records of the streams, and the result of the concurrent action. */
export interface BesideStreams<Result> {
  readonly streams: readonly RequestRecord[];
  readonly result: Result;
}

/**
 * Starts a stream per client and runs an action once all of them have begun.
 * @param answerTokens tokens of a client's answers; by default as many as fit, so that the other
 *   streams are rarely disturbed by a new prompt
 */
export async function besideStreams<Result>(
  load: Load,
  happen: () => Promise<Result>,
  answerTokens: (client: number) => number = () => load.contextSize,
): Promise<BesideStreams<Result>> {
  const stop = new AbortController();
  const clients = Array.from({ length: load.clients }, (_, client) =>
    startStreams({ ...load, contextSize: answerTokens(client) }, client, stop.signal),
  );
  try {
    await Promise.all(clients.map(({ streaming }) => streaming));
    const result = await happen();
    stop.abort();
    const streams = await Promise.all(clients.map(({ finished }) => finished));
    return { streams: streams.flat(), result };
  } finally {
    stop.abort();
  }
}

/** Metrics of streams in a window. */
export interface StreamFigures {
  /** Gaps between two chunks of one stream, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
  /**
   * Chunks per second of all streams, because a stream closed by the client reports no tokens. A
   * chunk is one token, unless a character takes several.
   */
  readonly rate: number;
}

/** Computes the metrics of streams in a window. */
export function streamFigures(window: Window, streams: readonly RequestRecord[]): StreamFigures {
  const gaps = interTokenLatenciesMs(streams, window);
  const chunks = succeeded(streams)
    .flatMap(({ chunkTimesMs }) => chunkTimesMs)
    .filter((timeMs) => window.fromMs <= timeMs && timeMs <= window.toMs);
  return {
    ...p50AndP99(gaps),
    longest: percentile(gaps, 100),
    rate: (1000 * chunks.length) / (window.toMs - window.fromMs),
  };
}
