import type { RequestRecord, TokenCounts } from "./request-record.js";

/** What is read of a chunk; everything in it may be absent. */
interface Chunk {
  readonly choices?: readonly { readonly delta?: Delta }[];
  readonly usage?: Usage | null;
  readonly timings?: Timings;
  readonly error?: { readonly message?: string };
}

interface Delta {
  readonly content?: string | null;
  readonly reasoning_content?: string | null;
  readonly tool_calls?: readonly unknown[];
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
}

/** Reduces one stream's events, and when they came, to a record. */
export class StreamRecorder {
  readonly #startedAt: number;
  readonly #pieceTimes: number[] = [];
  #usage: Usage | undefined;
  #timings: Timings | undefined;
  #error: string | undefined;
  #done = false;

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  /** Pieces of text until now. */
  get pieces(): number {
    return this.#pieceTimes.length;
  }

  /** Takes the data of one event in. */
  onData(data: string, at: number): void {
    if (data === "[DONE]") {
      this.#done = true;
      return;
    }
    const chunk = parseChunk(data);
    if (chunk === undefined) {
      this.#error ??= `an event that is no JSON object: ${data.slice(0, 80)}`;
      return;
    }
    if (chunk.error !== undefined) this.#error ??= chunk.error.message ?? "an error event";
    if (chunk.choices?.some(({ delta }) => delta !== undefined && hasText(delta))) {
      this.#pieceTimes.push(at);
    }
    this.#usage = chunk.usage ?? this.#usage;
    this.#timings = chunk.timings ?? this.#timings;
  }

  /** The answer came whole, without a stream. */
  whole(body: string, at: number): RequestRecord {
    this.onData(body, at);
    return this.#record(at);
  }

  /** The client has hung up: that it has no whole answer is no error. */
  leave(at: number): RequestRecord {
    return this.#record(at);
  }

  /** The stream has ended; without `[DONE]` before, it was cut off. */
  end(at: number): RequestRecord {
    if (!this.#done) this.#error ??= "the stream ended without [DONE]";
    return this.#record(at);
  }

  /** The stream failed. */
  fail(reason: string, at: number): RequestRecord {
    this.#error ??= reason;
    return this.#record(at);
  }

  #record(endedAt: number): RequestRecord {
    return {
      startedAt: this.#startedAt,
      pieceTimes: this.#pieceTimes,
      endedAt,
      tokens: this.#usage === undefined ? undefined : toCounts(this.#usage, this.#timings),
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

function toCounts(usage: Usage, timings: Timings | undefined): TokenCounts {
  return {
    prompt: usage.prompt_tokens ?? 0,
    cached: usage.prompt_tokens_details?.cached_tokens ?? timings?.cache_n ?? 0,
    completion: usage.completion_tokens ?? 0,
    drafted: timings?.draft_n ?? 0,
    accepted: timings?.draft_n_accepted ?? 0,
  };
}
