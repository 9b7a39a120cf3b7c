import { setMaxListeners } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { reasonOf } from "../../src/core/reason-of.js";
import { type ChatRequest, toBody } from "./chat-request.js";
import { EventData } from "./event-data.js";
import type { RequestRecord } from "./request-record.js";
import { StreamRecorder } from "./stream-recorder.js";

/** Silence after which a request counts as failed. */
const SILENCE_MS = 300_000;

/** One health probe. */
export interface HealthRecord {
  readonly ms: number;
  /** Absent when the answer was 200. */
  readonly error: string | undefined;
}

/**
 * A light client of one server: plain HTTP, no SDK, a connection for each request. One that is kept
 * open may be closed by the server just when it is used again, and whose failure is that?
 */
export class HttpClient {
  readonly #baseUrl: string;
  readonly #model: string;
  readonly #signal: AbortSignal;

  /**
   * @param baseUrl with its `/v1`.
   * @param signal ends every request.
   */
  constructor(baseUrl: string, model: string, signal: AbortSignal) {
    this.#baseUrl = baseUrl;
    this.#model = model;
    this.#signal = signal;
    // Every open request listens.
    setMaxListeners(0, signal);
  }

  /** Takes one answer. Failures become part of the record: this never rejects. */
  ask(chat: ChatRequest, onFirstPiece: () => void = () => undefined): Promise<RequestRecord> {
    const body = JSON.stringify(toBody(chat, this.#model));
    const recorder = new StreamRecorder(performance.now());
    const mostPieces = chat.taken?.kind === "left" ? chat.taken.afterPieces : Infinity;
    return new Promise((resolve) => {
      const fail = (error: unknown) => resolve(recorder.fail(reasonOf(error), performance.now()));
      const onResponse = (response: IncomingMessage) => {
        response.on("error", fail);
        if (response.statusCode !== 200) {
          text(response).then((said) => fail(statusReason(response.statusCode, said)), fail);
          return;
        }
        if (chat.taken?.kind === "whole") {
          const end = (said: string) => resolve(recorder.whole(said, performance.now()));
          text(response).then(end, fail);
          return;
        }
        const events = new EventData();
        response.setEncoding("utf8").on("data", (part: string) => {
          const at = performance.now();
          const before = recorder.pieces;
          for (const data of events.push(part)) recorder.onData(data, at);
          if (before === 0 && recorder.pieces > 0) onFirstPiece();
          if (recorder.pieces >= mostPieces) {
            resolve(recorder.leave(at));
            outgoing.destroy();
          }
        });
        response.on("end", () => resolve(recorder.end(performance.now())));
      };
      const outgoing = request(`${this.#baseUrl}/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
        agent: false,
        signal: this.#signal,
      });
      outgoing.on("response", onResponse).on("error", fail);
      outgoing.setTimeout(SILENCE_MS, () => outgoing.destroy(silent()));
      outgoing.end(body);
    });
  }

  /** Asks `/health` over a connection of its own, as a supervisor's probe does. Never rejects. */
  health(): Promise<HealthRecord> {
    const startedAt = performance.now();
    return new Promise((resolve) => {
      const settle = (error: string | undefined) =>
        resolve({ ms: performance.now() - startedAt, error });
      const fail = (error: unknown) => settle(reasonOf(error));
      const probe = request(new URL("/health", this.#baseUrl), {
        agent: false,
        signal: this.#signal,
      });
      probe.on("error", fail).on("response", (response) => {
        const { statusCode } = response;
        const onText = () => settle(statusCode === 200 ? undefined : `HTTP ${statusCode}`);
        text(response).then(onText, fail);
      });
      probe.setTimeout(SILENCE_MS, () => probe.destroy(silent()));
      probe.end();
    });
  }
}

function silent(): Error {
  return new Error(`no answer for ${SILENCE_MS / 1000} s`);
}

function statusReason(status: number | undefined, said: string): string {
  return `HTTP ${status}: ${said.slice(0, 200)}`;
}
