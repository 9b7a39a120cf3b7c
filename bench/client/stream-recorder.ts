import type { RequestRecord, TokenCounts } from "./request-record.js";

/** The fields that are read from a chunk; all of them are optional. */
interface Chunk {
  readonly choices?: readonly Choice[];
  readonly usage?: Usage | null;
  readonly timings?: Timings;
  readonly error?: { readonly message?: string };
}

interface Choice {
  readonly delta?: Delta;
  /** Of a response that is no stream. */
  readonly message?: Delta;
  readonly finish_reason?: string | null;
}

interface Delta {
  readonly content?: string | null;
  readonly reasoning_content?: string | null;
  readonly tool_calls?: readonly { readonly function?: { readonly arguments?: string } }[];
}

interface Usage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number } | null;
}

interface Timings {
  readonly cache_n?: number;
  readonly draft_n?: number;
  readonly draft_n_accepted?: number;
  readonly forced_n?: number;
}

/** Reduces the events of one stream and their arrival times to a record. */
export class StreamRecorder {
  readonly #startedAtMs: number;
  readonly #chunkTimesMs: number[] = [];
  #text = "";
  #finishReason: string | undefined;
  #usage: Usage | undefined;
  #timings: Timings | undefined;
  #error: string | undefined;
  #done = false;

  constructor(startedAtMs: number) {
    this.#startedAtMs = startedAtMs;
  }

  /** Chunks with text received so far. */
  get chunkCount(): number {
    return this.#chunkTimesMs.length;
  }

  /** Processes the data of one event. */
  onData(data: string, receivedAtMs: number): void {
    if (data === "[DONE]") {
      this.#done = true;
      return;
    }
    const chunk = parseChunk(data);
    if (chunk === undefined) {
      this.#error ??= `an event that is not a JSON object: ${data.slice(0, 80)}`;
      return;
    }
    if (chunk.error !== undefined) this.#error ??= chunk.error.message ?? "an error event";
    if (chunk.choices?.some(({ delta }) => delta !== undefined && hasText(delta))) {
      this.#chunkTimesMs.push(receivedAtMs);
    }
    for (const { delta, message, finish_reason } of chunk.choices ?? []) {
      this.#text += textOf(delta ?? message ?? {});
      this.#finishReason = finish_reason ?? this.#finishReason;
    }
    this.#usage = chunk.usage ?? this.#usage;
    this.#timings = chunk.timings ?? this.#timings;
  }

  /** Records a non-streamed response. */
  endWithBody(body: string, endedAtMs: number): RequestRecord {
    this.onData(body, endedAtMs);
    return this.#record(endedAtMs);
  }

  /** Records that the client closed the stream, which is not an error. */
  cancel(endedAtMs: number): RequestRecord {
    return this.#record(endedAtMs);
  }

  /** Records the end of the stream; without `[DONE]` it was truncated. */
  end(endedAtMs: number): RequestRecord {
    if (!this.#done) this.#error ??= "the stream ended without [DONE]";
    return this.#record(endedAtMs);
  }

  /** Records that the stream failed. */
  fail(reason: string, endedAtMs: number): RequestRecord {
    this.#error ??= reason;
    return this.#record(endedAtMs);
  }

  #record(endedAtMs: number): RequestRecord {
    return {
      startedAtMs: this.#startedAtMs,
      chunkTimesMs: this.#chunkTimesMs,
      endedAtMs,
      tokens: this.#usage === undefined ? undefined : toCounts(this.#usage, this.#timings),
      text: this.#text,
      finishReason: this.#finishReason,
      error: this.#error,
    };
  }
}

function parseChunk(data: string): Chunk | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function hasText({ content, reasoning_content, tool_calls }: Delta): boolean {
  return Boolean(content || reasoning_content || tool_calls?.length);
}

function textOf({ content, tool_calls = [] }: Delta): string {
  return (content ?? "") + tool_calls.map((call) => call.function?.arguments ?? "").join("");
}

function toCounts(usage: Usage, timings: Timings | undefined): TokenCounts {
  return {
    prompt: usage.prompt_tokens ?? 0,
    cached: usage.prompt_tokens_details?.cached_tokens ?? timings?.cache_n ?? 0,
    completion: usage.completion_tokens ?? 0,
    drafted: timings?.draft_n ?? 0,
    accepted: timings?.draft_n_accepted ?? 0,
    forced: timings?.forced_n ?? 0,
  };
}
