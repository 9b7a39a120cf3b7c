import type { RequestRecord } from "../client/request-record.js";
import { percentile } from "../statistics.js";
import { interTokenLatenciesMs, p50AndP99, succeeded, type Window } from "./reductions.js";
import type { Load } from "./scenario.js";
import { startStreams } from "./stalls-streams.js";

/** Streams, and what happened beside them. */
export interface BesideStreams<Result> {
  readonly streams: readonly RequestRecord[];
  readonly result: Result;
}

/**
 * Lets as many clients as there are stream, and something happen as soon as all of them do.
 * @param answerTokens of each client's answers; by default as many as fit, so that hardly ever a new prompt disturbs the
 * other streams.
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

/** What streams were like for a time. */
export interface StreamFigures {
  /** Of the gaps between two chunks of one stream, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
  /** Of all streams, in chunks per second: a stream that is hung up reports no tokens. They are one token each unless a character takes several. */
  readonly rate: number;
}

/** What streams were like in a window. */
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
