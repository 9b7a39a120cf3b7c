import type { Dialect } from "./dialects/dialect.js";
import { noTokens, parseObject } from "./json-answer.js";
import type { Refusal, RequestRecord, TokenCounts } from "./request-record.js";

/** End marker of some dialects' streams; not JSON. */
const DONE = "[DONE]";

/** Reduces the events of one stream and their arrival times to a record. */
export class StreamRecorder {
  readonly #dialect: Dialect;
  readonly #startedAtMs: number;
  readonly #chunkTimesMs: number[] = [];
  #text = "";
  #finishReason: string | undefined;
  #counts: Partial<TokenCounts> = {};
  #error: string | undefined;
  #errorEvents = 0;
  #done = false;

  constructor(dialect: Dialect, startedAtMs: number) {
    this.#dialect = dialect;
    this.#startedAtMs = startedAtMs;
  }

  /** Chunks with text received so far. */
  get chunkCount(): number {
    return this.#chunkTimesMs.length;
  }

  /** Processes the data of one event. */
  onData(data: string, receivedAtMs: number): void {
    if (data === DONE) {
      this.#done = true;
      return;
    }
    const event = parseObject(data);
    if (event === undefined) {
      this.#error ??= `an event that is not a JSON object: ${data.slice(0, 80)}`;
      return;
    }
    const { showsTokens, text, finishReason, counts, error, isLast } =
      this.#dialect.readEvent(event);
    if (showsTokens) this.#chunkTimesMs.push(receivedAtMs);
    this.#text += text ?? "";
    this.#finishReason = finishReason ?? this.#finishReason;
    this.#counts = { ...this.#counts, ...counts };
    this.#error ??= error;
    if (error !== undefined) this.#errorEvents += 1;
    this.#done ||= isLast ?? false;
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

  /** Records the end of the stream, which was truncated if the last event is missing. */
  end(endedAtMs: number): RequestRecord {
    if (!this.#done) this.#error ??= `the stream ended without ${this.#dialect.lastEvent}`;
    return this.#record(endedAtMs);
  }

  /** Records that the stream failed. */
  fail(reason: string, endedAtMs: number): RequestRecord {
    this.#error ??= reason;
    return this.#record(endedAtMs);
  }

  /** Records that the server refused the request with an error instead of a stream. */
  refuse(refusal: Refusal, reason: string, endedAtMs: number): RequestRecord {
    return { ...this.fail(reason, endedAtMs), refusal };
  }

  #record(endedAtMs: number): RequestRecord {
    return {
      startedAtMs: this.#startedAtMs,
      chunkTimesMs: this.#chunkTimesMs,
      endedAtMs,
      tokens: this.#counts.completion === undefined ? undefined : { ...noTokens, ...this.#counts },
      text: this.#text,
      finishReason: this.#finishReason,
      error: this.#error,
      ...(this.#errorEvents > 0 && { errorEvents: this.#errorEvents }),
    };
  }
}
