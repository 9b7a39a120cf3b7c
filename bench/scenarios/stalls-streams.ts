import type { RequestRecord } from "../client/request-record.js";
import type { Load } from "./scenario.js";

/** Prompt tokens of the streams; the rest of a slot is their answer. */
const STREAM_PROMPT_TOKENS = 16;

/** Client that streams one answer after another. */
export interface StreamingClient {
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
