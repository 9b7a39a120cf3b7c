import assert from "node:assert/strict";
import { deserialize, serialize } from "node:v8";
import type { EventFrames } from "./event-frames.js";

/**
 * Encoding of a report: `frames` for text deltas only, `cloned` for anything that supports
 * structured cloning.
 */
const KIND = { cloned: 0, frames: 1 } as const;

/** Length of the body and the report's kind. */
const HEADER_BYTES = 5;

type Events = EventFrames & { readonly type: "events" };

/**
 * Encodes a report as bytes. Events that all fit into frames, as in nearly every step, are copied
 * rather than cloned.
 */
export function encodeReport(report: { readonly type: string }): Uint8Array {
  const isFramed = isEvents(report) && report.others.length === 0;
  const body = isFramed ? report.frames : serialize(report);
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + body.length);
  bytes.writeUInt32LE(body.length, 0);
  bytes[4] = isFramed ? KIND.frames : KIND.cloned;
  bytes.set(body, HEADER_BYTES);
  return bytes;
}

function isEvents(report: { readonly type: string }): report is Events {
  return report.type === "events";
}

/** Reads reports from the chunks of a byte stream. */
export class ReportReader {
  readonly #onReport: (report: unknown) => void;
  /** Chunks of the incomplete report. */
  #pendingChunks: Buffer[] = [];
  #pendingBytes = 0;
  #expectedBytes = HEADER_BYTES;

  constructor(onReport: (report: unknown) => void) {
    this.#onReport = onReport;
  }

  /**
   * Calls back with each report that the chunk completes. The frames of a report are valid only
   * during its callback.
   */
  push(chunk: Buffer): void {
    this.#pendingChunks.push(chunk);
    this.#pendingBytes += chunk.length;
    if (this.#pendingBytes < this.#expectedBytes) return;
    const bytes = this.#pendingChunks.length === 1 ? chunk : Buffer.concat(this.#pendingChunks);
    let at = 0;
    for (;;) {
      const remainingBytes = bytes.length - at;
      this.#expectedBytes =
        remainingBytes < HEADER_BYTES ? HEADER_BYTES : HEADER_BYTES + bytes.readUInt32LE(at);
      if (remainingBytes < this.#expectedBytes) break;
      const end = at + this.#expectedBytes;
      this.#onReport(decode(bytes[at + 4], bytes.subarray(at + HEADER_BYTES, end)));
      at = end;
    }
    this.#pendingChunks = at < bytes.length ? [bytes.subarray(at)] : [];
    this.#pendingBytes = bytes.length - at;
  }
}

function decode(kind: number | undefined, body: Buffer): unknown {
  if (kind === KIND.frames) return { type: "events", frames: body, others: [] } satisfies Events;
  assert(kind === KIND.cloned, `unknown report kind: ${kind}`);
  return deserialize(body);
}
