import type { RequestRecord } from "../client/request-record.js";
import type { Load } from "./scenario.js";

/** Prompt tokens of the streams; what is left of a slot is their answer. */
const STREAM_PROMPT_TOKENS = 16;

/** A client that streams, one answer after another. */
export interface StreamingClient {
  /** Its first text has come, or it has ended. */
  readonly streaming: Promise<void>;
  /** Resolves when a gap between two chunks has ended that is noticed from now on, or the client has. */
  nextGap(): Promise<void>;
  /** Of all its answers, when it has ended. */
  readonly finished: Promise<readonly RequestRecord[]>;
}

/**
 * One client that streams until `stop` is aborted, or until a stream fails. Its answers are as long as
 * fits, so that hardly ever a new prompt disturbs the other streams, and sampled, because the
 * repetitions of greedy decoding would be sent in bursts by speculation.
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
    // The first chunk may be that of an answer, before which there is no gap.
    nextGap: () => unlessFinished(chunks(2)),
    finished,
  };
}
