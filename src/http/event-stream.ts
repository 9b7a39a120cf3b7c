import assert from "node:assert/strict";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type GgufdError, toClientError } from "../core/errors.js";
import { escapeLineBreaks } from "../core/json.js";
import { PrintedItem } from "../core/printed-item.js";
import { settlesWithin } from "../core/settles-within.js";
import { logServerError } from "./error-handler.js";
import { isSmall, type PrintJson, printInChunks } from "./large-answers.js";

/** Wire format of a stream. */
export interface StreamFormat {
  readonly contentType: string;
  /** Prints an item as one line of JSON. */
  readonly print: PrintJson;
  /** Text before each item. */
  readonly prefixOf: (item: object) => string;
  /** Text after each item. */
  readonly suffix: string;
  /**
   * Keeps an idle connection open; `undefined`: clients of this format would read it as an item.
   */
  readonly ping: string | undefined;
  /** Formats a comment, which clients ignore; `undefined`: the format has no comments. */
  readonly comment: ((text: string) => string) | undefined;
  /** Text that ends a complete stream. */
  readonly terminator: string;
}

const printOneLine: PrintJson = (value) => escapeLineBreaks(JSON.stringify(value));

/** Unnamed server-sent events, as in OpenAI's chat completions. */
export const DATA_EVENTS: StreamFormat = {
  contentType: "text/event-stream; charset=utf-8",
  print: printOneLine,
  prefixOf: () => "data: ",
  suffix: "\n\n",
  ping: ": ping\n\n",
  comment: (text) => `: ${escapeLineBreaks(text)}\n\n`,
  terminator: "data: [DONE]\n\n",
};

/** Server-sent events named by the `type` of their data. */
export const NAMED_EVENTS: StreamFormat = {
  ...DATA_EVENTS,
  prefixOf: (item) => `event: ${typeOf(item)}\ndata: `,
  terminator: "",
};

/** One JSON value per line. */
export const JSON_LINES: StreamFormat = {
  contentType: "application/x-ndjson; charset=utf-8",
  print: printOneLine,
  prefixOf: () => "",
  suffix: "\n",
  ping: undefined,
  comment: undefined,
  terminator: "",
};

function typeOf(item: object): string {
  const type = "type" in item ? item.type : undefined;
  assert(typeof type === "string", "an event that is named by its type has none");
  return type;
}

/** Options of a stream's text. */
export interface PrintOptions {
  readonly format: StreamFormat;
  /** Formats an error that occurs after the first item, as the last item of the stream. */
  readonly printError: (error: GgufdError) => object;
  /** Idle time before a ping is sent, in milliseconds. */
  readonly pingAfterMs: number;
  /**
   * Describes what the stream is waiting for, sent as a comment with a ping; `undefined`: nothing.
   */
  readonly describeWait?: () => string | undefined;
}

export interface EventStreamOptions extends PrintOptions {
  readonly signal: AbortSignal;
  /**
   * When the headers are sent. `at-once` confirms the request before there is any item.
   * @default "with-first-item"
   */
  readonly headerTiming?: "at-once" | "with-first-item";
}

/** The items of a stream, or a promise of them while a model is still loading. */
export type ItemSource = AsyncIterator<object> | Promise<AsyncIterator<object>>;

/**
 * Answers with a stream of items. By default the headers are sent with the first item or ping; an
 * error before that is thrown, so that the caller can answer with its status. Applies backpressure
 * for slow clients, and returns without draining the source when `signal` is aborted.
 */
export async function sendEventStream(
  reply: FastifyReply,
  source: ItemSource,
  options: EventStreamOptions,
): Promise<void> {
  const { signal } = options;
  const stream = beginItems(source);
  await awaitFirstItem(stream, options);
  const raw = beginStream(reply, options.format);
  const sink: TextSink = {
    get isOpen() {
      return !raw.destroyed;
    },
    write: (text) => (raw.destroyed || raw.write(text) ? undefined : waitForDrain(raw, signal)),
  };
  await printItems(stream, sink, reply.request, options);
  raw.end();
}

/** Items of a stream, of which the first has been requested. */
export interface BegunItems {
  readonly opening: Promise<AsyncIterator<object>>;
  readonly first: Promise<IteratorResult<object, unknown>>;
}

export function beginItems(source: ItemSource): BegunItems {
  const opening = Promise.resolve(source);
  return { opening, first: opening.then((items) => items.next()) };
}

/**
 * Waits for the first item of a stream, or until a ping is due.
 * @throws the error that ended the stream before its first item
 */
export async function awaitFirstItem(
  { first }: BegunItems,
  {
    headerTiming = "with-first-item",
    pingAfterMs,
  }: Pick<EventStreamOptions, "headerTiming" | "pingAfterMs">,
): Promise<void> {
  if (headerTiming === "with-first-item") await settlesWithin(first, pingAfterMs);
}

/** Sends the status and headers of a stream. */
export function beginStream(
  reply: FastifyReply,
  { contentType }: Pick<StreamFormat, "contentType">,
): ServerResponse {
  assert(!reply.raw.headersSent, "an answer has begun before its event stream");
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    "content-type": contentType,
    "cache-control": "no-cache",
    "x-accel-buffering": "no",
  });
  raw.flushHeaders();
  return raw;
}

/** Destination of the text of a stream. */
export interface TextSink {
  /** Whether written text still reaches a reader; otherwise, it is discarded. */
  readonly isOpen: boolean;
  /** @returns resolves when more text may be written; `undefined`: now */
  write(text: string): Promise<void> | undefined;
}

/** Writes the items of a stream, pings while there is none, and its end. Never rejects. */
export async function printItems(
  { opening, first }: BegunItems,
  sink: TextSink,
  request: FastifyRequest,
  options: PrintOptions,
): Promise<void> {
  const { format, printError } = options;
  const pings = startPings(sink, options);
  try {
    const items = await opening;
    for (let item = await first; !item.done; item = await items.next()) {
      pings.pause();
      const written = writeItem(item.value, sink, format);
      if (written !== undefined) await written;
      pings.restart();
    }
    sink.write(format.terminator);
  } catch (thrown) {
    const error = toClientError(thrown);
    request.errorCode = error.code;
    logServerError(error, request);
    sink.write(printItem(printError(error), format));
  } finally {
    pings.stop();
  }
}

/** Writes pings at intervals, with a comment on what the stream is waiting for. */
function startPings(
  sink: TextSink,
  { format, pingAfterMs, describeWait }: Omit<PrintOptions, "printError">,
) {
  let isPaused = false;
  const timer = setInterval(() => {
    if (isPaused) return;
    const reason = describeWait?.();
    if (reason !== undefined && format.comment !== undefined) sink.write(format.comment(reason));
    if (format.ping !== undefined) sink.write(format.ping);
  }, pingAfterMs);
  return {
    pause() {
      isPaused = true;
    },
    /** Begins a new interval. */
    restart() {
      isPaused = false;
      timer.refresh();
    },
    stop: () => clearInterval(timer),
  };
}

/** @returns a promise that resolves when more may be written; `undefined` if it may be at once */
function writeItem(item: object, sink: TextSink, format: StreamFormat): Promise<void> | undefined {
  if (item instanceof PrintedItem || isSmall(item)) return sink.write(printItem(item, format));
  return writeInChunks(item, sink, format);
}

async function writeInChunks(item: object, sink: TextSink, format: StreamFormat): Promise<void> {
  for await (const text of printLargeItem(item, format)) {
    if (!sink.isOpen) break;
    await sink.write(text);
  }
}

function printItem(item: object, { prefixOf, print, suffix }: StreamFormat): string {
  if (item instanceof PrintedItem) return prefixOf(item.like) + item.json + suffix;
  return prefixOf(item) + print(item) + suffix;
}

/** Prints a large item in chunks, with an event-loop turn between them. */
async function* printLargeItem(item: object, format: StreamFormat): AsyncGenerator<string, void> {
  yield format.prefixOf(item);
  yield* printInChunks(item, format.print);
  yield format.suffix;
}

/** Waits until the socket buffer has drained or the client has disconnected. */
export async function waitForDrain(raw: ServerResponse, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await once(raw, "drain", { signal }).catch(() => undefined);
}
