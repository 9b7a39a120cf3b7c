import type { RequestRecord } from "../client/request-record.js";
import { percentile } from "../statistics.js";
import { interTokenLatenciesMs, p50AndP99, succeeded, type Window } from "./reductions.js";
import type { Load } from "./scenario.js";

/** Records of the streams, and the result of the concurrent action. */
interface BesideStreams<Result> {
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

/** Prompt tokens of the streams; the rest of a slot is their answer. */
const STREAM_PROMPT_TOKENS = 16;

/** Client that streams one answer after another. */
interface StreamingClient {
  /** Resolves when the first text has arrived, or the client has ended. */
  readonly streaming: Promise<void>;
  /** Resolves at the end of the next gap between two chunks, or at the end of the client. */
  nextGap(): Promise<void>;
  /** Resolves at the end of the client, with the records of all answers. */
  readonly finished: Promise<readonly RequestRecord[]>;
}

/**
 * Starts a client that streams until `stop` is aborted, or until a stream fails. Its answers are as
 * long as possible, so that other streams are rarely disturbed by a new prompt, and sampled,
 * because speculation would send the repetitions of greedy decoding in bursts.
 */
export function startStreams(
  { contextSize, prompts, complete }: Pick<Load, "contextSize" | "prompts" | "complete">,
  client: number,
  stop: AbortSignal,
): StreamingClient {
  let onChunks = () => {};
  const chunks = (count: number) =>
    new Promise<void>((resolve) => {
      let left = count;
      onChunks = () => {
        left--;
        if (left === 0) resolve();
      };
    });
  const stream = async () => {
    const records: RequestRecord[] = [];
    do {
      const content = prompts.text(`${client} ${records.length}`, STREAM_PROMPT_TOKENS);
      const request = {
        messages: [{ role: "user" as const, content }],
        maxTokens: contextSize,
        sampling: { temperature: 1, seed: client },
        mode: { kind: "stopped" as const, by: stop },
      };
      records.push(await complete(request, () => onChunks()));
    } while (!stop.aborted && records.at(-1)?.error === undefined);
    return records;
  };
  const first = chunks(1);
  const finished = stream();
  const unlessFinished = async (happened: Promise<void>) => {
    await Promise.race([happened, finished]);
  };
  return {
    streaming: unlessFinished(first),
    // The first chunk may begin an answer and has no gap before it.
    nextGap: () => unlessFinished(chunks(2)),
    finished,
  };
}
