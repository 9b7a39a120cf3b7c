import assert from "node:assert/strict";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../core/caller.js";
import { MAX_CONVERSATION_ID_CHARACTERS } from "../core/conversation-id.js";
import { createRefusal } from "../core/errors.js";
import { buildCaller, createDisconnectSignal } from "./caller.js";
import { detachAnswer } from "./detached-answer.js";
import {
  awaitFirstItem,
  beginItems,
  beginStream,
  type ItemSource,
  type PrintOptions,
  printItems,
  type StreamFormat,
  sendEventStream,
  type TextSink,
  waitForDrain,
} from "./event-stream.js";
import type { ResumableStream, ResumableStreams } from "./resumable-streams.js";
import type { StreamBuffer } from "./stream-buffer.js";

/** Request header with the client's id of a conversation, whose stream can then be resumed. */
export const CONVERSATION_HEADER = "x-conversation-id";

/** Stream that answers a request. */
export interface AnswerStream {
  /** Lives as long as the answer is wanted. */
  readonly caller: Caller;
  /** Sends the items, as `sendEventStream`. Must be called exactly once. */
  send(source: ItemSource, options: PrintOptions): Promise<FastifyReply>;
}

/**
 * Opens the stream that answers a request. With an id of a conversation, the stream continues
 * without the client and is kept in `streams`, from which all clients read it.
 * @throws {GgufdError} `invalid_request` for an invalid id
 */
export function openAnswerStream(
  request: FastifyRequest,
  reply: FastifyReply,
  streams: ResumableStreams,
): AnswerStream {
  const id = readConversationId(request);
  const connected = buildCaller(request, reply);
  if (id === undefined) {
    return {
      caller: connected,
      async send(source, options) {
        await sendEventStream(reply, source, { ...options, signal: connected.signal });
        return reply;
      },
    };
  }
  const { caller, controller, settle } = detachAnswer(connected, request, reply);
  const stream = streams.open(streamOwnerOf(request), id);
  stream.stopped.addEventListener("abort", () => controller.abort(stream.stopped.reason));
  return {
    caller,
    async send(source, options) {
      await sendThrough(stream, reply, { ...options, source, onEnded: settle });
      return reply;
    },
  };
}

/** Returns the owner of a request's streams: the name of its API key. */
export function streamOwnerOf({ keyName }: Pick<FastifyRequest, "keyName">): string {
  return keyName ?? "";
}

interface SendingOptions extends PrintOptions {
  readonly source: ItemSource;
  /** Called once, when the stream has ended, or was refused before its first item. */
  readonly onEnded: () => void;
}

async function sendThrough(
  stream: ResumableStream,
  reply: FastifyReply,
  { source, onEnded, ...options }: SendingOptions,
): Promise<void> {
  const items = beginItems(source);
  try {
    await awaitFirstItem(items, options);
  } catch (error) {
    stream.discard();
    onEnded();
    throw error;
  }
  const sink: TextSink = {
    isOpen: true,
    write(text) {
      stream.append(text);
      return undefined;
    },
  };
  void printItems(items, sink, reply.request, options).then(() => {
    stream.end();
    onEnded();
  });
  await sendBuffer(reply, stream.buffer, { from: 0, format: options.format });
}

/** Part of a buffer to send. */
interface BufferExcerpt {
  /** Offset of the first byte. */
  readonly from: number;
  readonly format: Pick<StreamFormat, "contentType">;
}

/**
 * Answers with the text of a stream until it ends. A client is disconnected if it reads so slowly
 * that the buffer drops text before the client has received it.
 */
export async function sendBuffer(
  reply: FastifyReply,
  buffer: StreamBuffer,
  { from, format }: BufferExcerpt,
): Promise<void> {
  const signal = createDisconnectSignal(reply);
  const raw = beginStream(reply, format);
  try {
    for await (const bytes of buffer.read(from, signal)) {
      if (!raw.write(bytes)) await waitForDrain(raw, signal);
    }
    raw.end();
  } catch {
    raw.destroy();
  }
}

/** @throws {GgufdError} `invalid_request` */
function readConversationId({ headers }: FastifyRequest): string | undefined {
  const id = headers[CONVERSATION_HEADER];
  if (id === undefined || id === "") return undefined;
  assert(typeof id === "string", "Node.js joins repeated headers of this name");
  if (id.length <= MAX_CONVERSATION_ID_CHARACTERS) return id;
  const reason = `expected at most ${MAX_CONVERSATION_ID_CHARACTERS} characters, got ${id.length}`;
  throw createRefusal("invalid_request", [{ field: CONVERSATION_HEADER, reason }]);
}
