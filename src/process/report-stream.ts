import assert from "node:assert/strict";
import { deserialize, serialize } from "node:v8";
import type { EventFrames } from "./event-frames.js";

/** What a report is made of: pieces of texts in their frames alone, or anything that can be cloned. */
const KIND = { cloned: 0, frames: 1 } as const;

/** The length of what follows it, and its kind. */
const HEADER_BYTES = 5;

type Events = EventFrames & { readonly type: "events" };

/** A report as bytes. What is told in nearly every step, events that are all in frames, is not cloned. */
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

/** Reads reports from the bytes of a stream, however these are cut. */
export class ReportReader {
  readonly #onReport: (report: unknown) => void;
  /** What has come of the report that is not whole yet. */
  #begun: Buffer[] = [];
  #begunBytes = 0;
  #wantedBytes = HEADER_BYTES;

  constructor(onReport: (report: unknown) => void) {
    this.#onReport = onReport;
  }

  /** Calls back with each report that these bytes complete. Frames are good until that returns. */
  push(chunk: Buffer): void {
    this.#begun.push(chunk);
    this.#begunBytes += chunk.length;
    if (this.#begunBytes < this.#wantedBytes) return;
    const bytes = this.#begun.length === 1 ? chunk : Buffer.concat(this.#begun);
    let at = 0;
    for (;;) {
      const left = bytes.length - at;
      this.#wantedBytes =
        left < HEADER_BYTES ? HEADER_BYTES : HEADER_BYTES + bytes.readUInt32LE(at);
      if (left < this.#wantedBytes) break;
      const end = at + this.#wantedBytes;
      this.#onReport(decode(bytes[at + 4], bytes.subarray(at + HEADER_BYTES, end)));
      at = end;
    }
    this.#begun = at < bytes.length ? [bytes.subarray(at)] : [];
    this.#begunBytes = bytes.length - at;
  }
}

function decode(kind: number | undefined, body: Buffer): unknown {
  if (kind === KIND.frames) return { type: "events", frames: body, others: [] } satisfies Events;
  assert(kind === KIND.cloned, `there is no report of the kind ${kind}`);
  return deserialize(body);
}
