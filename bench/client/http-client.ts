import { setMaxListeners } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { formatReason } from "../../src/core/format-reason.js";
import type { ChatRequest } from "./chat-request.js";
import { chatCompletions } from "./dialects/chat-completions.js";
import type { Dialect, Framing } from "./dialects/dialect.js";
import { type JsonAnswer, statusReason, toJsonAnswer } from "./json-answer.js";
import type { Refusal, RequestRecord } from "./request-record.js";
import { StreamRecorder } from "./stream-recorder.js";

/** Time without any data after which a request counts as failed. */
const IDLE_TIMEOUT_MS = 300_000;

/** Result of one health probe. */
export interface HealthRecord {
  readonly latencyMs: number;
  /** Absent if the status was 200. */
  readonly error: string | undefined;
}

/**
 * Lightweight client for one server: plain HTTP, no SDK, one connection per request. With
 * keep-alive a server may close a connection just as it is reused, and the failure could not be
 * attributed to either side.
 */
export class HttpClient {
  readonly #baseUrl: string;
  readonly #model: string;
  readonly #signal: AbortSignal;

  /**
   * @param baseUrl including `/v1`
   * @param signal aborts all requests
   */
  constructor(baseUrl: string, model: string, signal: AbortSignal) {
    this.#baseUrl = baseUrl;
    this.#model = model;
    this.#signal = signal;
    // Every open request adds a listener.
    setMaxListeners(0, signal);
  }

  /** Requests one chat completion. Never rejects: failures are part of the record. */
  complete(chat: ChatRequest, onChunks?: () => void): Promise<RequestRecord> {
    return this.ask(chatCompletions, chat, onChunks);
  }

  /**
   * Requests one answer in a dialect. Never rejects: failures are part of the record.
   * @param onChunks called whenever chunks with text have arrived
   */
  ask(
    dialect: Dialect,
    chat: ChatRequest,
    onChunks: () => void = () => undefined,
  ): Promise<RequestRecord> {
    const recorder = new StreamRecorder(dialect, performance.now());
    const maxChunks = chat.mode?.kind === "cancelled" ? chat.mode.afterChunks : Infinity;
    const stop = chat.mode?.kind === "stopped" ? chat.mode.by : undefined;
    return new Promise((resolve) => {
      const fail = (error: unknown) => {
        const nowMs = performance.now();
        resolve(stop?.aborted ? recorder.cancel(nowMs) : recorder.fail(formatReason(error), nowMs));
      };
      const onResponse = (response: IncomingMessage) => {
        response.on("error", fail);
        if (response.statusCode !== 200) {
          const refuse = (content: string) => {
            const reason = statusReason(response.statusCode, content);
            resolve(recorder.refuse(refusalOf(response), reason, performance.now()));
          };
          text(response).then(refuse, fail);
          return;
        }
        if (chat.mode?.kind === "non-streamed") {
          const end = (content: string) =>
            resolve(recorder.endWithBody(content, performance.now()));
          text(response).then(end, fail);
          return;
        }
        const events = new EventData(dialect.framing);
        response.setEncoding("utf8").on("data", (part: string) => {
          const nowMs = performance.now();
          const previousCount = recorder.chunkCount;
          for (const data of events.push(part)) recorder.onData(data, nowMs);
          if (recorder.chunkCount > previousCount) onChunks();
          if (recorder.chunkCount >= maxChunks) {
            resolve(recorder.cancel(nowMs));
            outgoing.destroy();
          }
        });
        response.on("end", () => resolve(recorder.end(performance.now())));
      };
      const signal = stop === undefined ? this.#signal : AbortSignal.any([this.#signal, stop]);
      const body = dialect.toBody(chat, chat.model ?? this.#model);
      const outgoing = this.#send(dialect.path, body, signal);
      outgoing.on("response", onResponse).on("error", fail);
    });
  }

  /**
   * Posts JSON to a route without streaming. Never rejects: failures are part of the record.
   * @param path relative to `/v1/`
   * @param members the body, without the model
   */
  post(path: string, members: object): Promise<JsonAnswer> {
    const startedAtMs = performance.now();
    return new Promise((resolve) => {
      const settle = (status: number | undefined, content: string) =>
        resolve(toJsonAnswer({ status, content, startedAtMs, endedAtMs: performance.now() }));
      const fail = (error: unknown) => settle(undefined, formatReason(error));
      const outgoing = this.#send(path, { model: this.#model, ...members }, this.#signal);
      outgoing.on("error", fail).on("response", (response) => {
        text(response).then((content) => settle(response.statusCode, content), fail);
      });
    });
  }

  #send(path: string, members: object, signal: AbortSignal): ClientRequest {
    const body = JSON.stringify(members);
    const outgoing = request(new URL(path, `${this.#baseUrl}/`), {
      method: "POST",
      headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
      agent: false,
      signal,
    });
    outgoing.setTimeout(IDLE_TIMEOUT_MS, () => outgoing.destroy(idleTimeoutError()));
    outgoing.end(body);
    return outgoing;
  }

  /** Probes `/health` over a separate connection, as a supervisor does. Never rejects. */
  health(): Promise<HealthRecord> {
    const startedAtMs = performance.now();
    return new Promise((resolve) => {
      const settle = (error: string | undefined) =>
        resolve({ latencyMs: performance.now() - startedAtMs, error });
      const fail = (error: unknown) => settle(formatReason(error));
      const probe = request(new URL("/health", this.#baseUrl), {
        agent: false,
        signal: this.#signal,
      });
      probe.on("error", fail).on("response", (response) => {
        const { statusCode } = response;
        const onText = () => settle(statusCode === 200 ? undefined : `HTTP ${statusCode}`);
        text(response).then(onText, fail);
      });
      probe.setTimeout(IDLE_TIMEOUT_MS, () => probe.destroy(idleTimeoutError()));
      probe.end();
    });
  }
}

function refusalOf({ statusCode = 0, headers }: IncomingMessage): Refusal {
  const retryAfterSeconds = Number.parseInt(headers["retry-after"] ?? "", 10);
  return {
    status: statusCode,
    ...(Number.isFinite(retryAfterSeconds) && { retryAfterSeconds }),
  };
}

function idleTimeoutError(): Error {
  return new Error(`no response for ${IDLE_TIMEOUT_MS / 1000} s`);
}

/**
 * Incremental parser of server-sent event data or JSON lines, with chunk boundaries anywhere.
 * Servers write each event's data on one line, so each line is returned as soon as it is complete;
 * comments, other fields and blank lines are ignored.
 */
export class EventData {
  readonly #prefix: string;
  #incompleteLine = "";

  constructor(framing: Framing) {
    this.#prefix = framing === "lines" ? "" : "data:";
  }

  /** Returns the data that this text completes, in order. */
  push(text: string): string[] {
    const lines = (this.#incompleteLine + text).split("\n");
    this.#incompleteLine = lines.pop() ?? "";
    return lines
      .filter((line) => line.startsWith(this.#prefix))
      .map((line) => line.slice(this.#prefix.length).trim())
      .filter((data) => data !== "");
  }
}
