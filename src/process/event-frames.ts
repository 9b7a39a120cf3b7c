import assert from "node:assert/strict";
import type { GenerationEvent, TokenUsage } from "../core/generation-event.js";

/** One call of a listener. */
export type ListenerEvent = readonly [listenerId: number, ...args: unknown[]];

/**
 * Listener events of one step, in order. Text deltas, which are nearly all events, are encoded as
 * bytes; each other event is kept as an object and has a placeholder frame. Supports structured
 * cloning.
 */
export interface EventFrames {
  readonly frames: Uint8Array;
  readonly others: readonly ListenerEvent[];
}

/** First byte of a frame: its kind. */
const KIND = { other: 0, "text-delta": 1, "reasoning-delta": 2 } as const;
const KINDS = ["other", "text-delta", "reasoning-delta"] as const;

/** A delta of text or reasoning that has only text, tokens and token counts. */
type Piece = Extract<GenerationEvent, { readonly type: "text-delta" | "reasoning-delta" }>;

/**
 * Kind of the frame, listener id, four token counts, and the lengths of the tokens and of the text.
 */
const HEADER_BYTES = 1 + 7 * 4;
const TOKEN_BYTES = 4;
/** Maximum UTF-8 bytes of one UTF-16 code unit. */
const MAX_BYTES_PER_CODE_UNIT = 3;

/** Encodes listener events as frames. */
export function toFrames(events: readonly ListenerEvent[]): EventFrames {
  const others: ListenerEvent[] = [];
  const pieces = events.map((event) => toFramedPiece(event));
  const maxBytes = pieces.reduce((sum, piece) => sum + maxBytesOf(piece), 0);
  const buffer = Buffer.allocUnsafe(maxBytes);
  let at = 0;
  for (const [index, event] of events.entries()) {
    const piece = pieces[index];
    if (piece === undefined) {
      others.push(event);
      buffer[at++] = KIND.other;
    } else {
      at = writePiece(buffer, at, event[0], piece);
    }
  }
  return { frames: buffer.subarray(0, at), others };
}

/** Decodes frames and calls the callback with each event, in order. */
export function fromFrames(
  { frames, others }: EventFrames,
  onEvent: (event: ListenerEvent) => void,
) {
  const buffer = Buffer.from(frames.buffer, frames.byteOffset, frames.byteLength);
  let next = 0;
  for (let at = 0; at < buffer.length; ) {
    const kind = KINDS[buffer[at] ?? -1];
    assert(kind !== undefined, `expected a known frame kind, got ${buffer[at]}`);
    if (kind === "other") {
      const other = others[next++];
      assert(other !== undefined, "expected an event for each frame of kind other, got fewer");
      onEvent(other);
      at++;
      continue;
    }
    const readNumber = (slot: number) => buffer.readUInt32LE(at + 1 + slot * 4);
    const tokensAt = at + HEADER_BYTES;
    const textAt = tokensAt + readNumber(5) * TOKEN_BYTES;
    const end = textAt + readNumber(6);
    const tokens: number[] = [];
    for (let token = tokensAt; token < textAt; token += TOKEN_BYTES) {
      tokens.push(buffer.readUInt32LE(token));
    }
    const usage: TokenUsage = {
      promptTokens: readNumber(1),
      cachedTokens: readNumber(2),
      completionTokens: readNumber(3),
      reasoningTokens: readNumber(4),
    };
    const text = buffer.toString("utf8", textAt, end);
    onEvent([readNumber(0), { type: kind, text, usage }, tokens]);
    at = end;
  }
}

interface FramedPiece {
  readonly event: Piece;
  readonly tokens: readonly number[];
}

/** Returns the event as a text delta; `undefined` if it has fields that a frame cannot hold. */
function toFramedPiece([, event, tokens]: ListenerEvent): FramedPiece | undefined {
  if (!isPiece(event) || !Array.isArray(tokens)) return undefined;
  const { text, usage } = event;
  const isPlain =
    event.type === "reasoning-delta" || (event.scores === undefined && event.timings === undefined);
  // Half of a surrogate pair has no UTF-8 encoding.
  const isFramed = isPlain && usage.prediction === undefined && text.isWellFormed();
  return isFramed ? { event, tokens } : undefined;
}

function isPiece(event: unknown): event is Piece {
  if (typeof event !== "object" || event === null || !("type" in event)) return false;
  return event.type === "text-delta" || event.type === "reasoning-delta";
}

function maxBytesOf(piece: FramedPiece | undefined): number {
  if (piece === undefined) return 1;
  const { event, tokens } = piece;
  return HEADER_BYTES + tokens.length * TOKEN_BYTES + event.text.length * MAX_BYTES_PER_CODE_UNIT;
}

/** @returns where the next frame begins */
function writePiece(
  buffer: Buffer,
  begin: number,
  listenerId: number,
  { event, tokens }: FramedPiece,
): number {
  const { type, text, usage } = event;
  const textAt = begin + HEADER_BYTES + tokens.length * TOKEN_BYTES;
  const textBytes = buffer.write(text, textAt, "utf8");
  buffer[begin] = KIND[type];
  const header = [listenerId, usage.promptTokens, usage.cachedTokens, usage.completionTokens];
  let at = begin + 1;
  for (const number of [...header, usage.reasoningTokens, tokens.length, textBytes, ...tokens]) {
    at = buffer.writeUInt32LE(number, at);
  }
  return textAt + textBytes;
}
