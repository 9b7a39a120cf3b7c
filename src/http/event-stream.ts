import assert from "node:assert/strict";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import { type GgufdError, toClientError } from "../core/errors.js";
import { escapeLineBreaks } from "../core/json.js";
import { PrintedItem } from "../core/printed-item.js";
import { settlesWithin } from "../core/settles-within.js";
import { logServerError } from "./error-handler.js";
import { isSmall, type PrintJson, printInTurns } from "./large-answers.js";

/** Wire format of a stream. */
export interface StreamFormat {
  readonly contentType: string;
  /** Prints an item as one line of JSON. */
  readonly print: PrintJson;
  /** Text before each item. */
  readonly begin: (item: object) => string;
  /** Text after each item. */
  readonly end: string;
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
  begin: () => "data: ",
  end: "\n\n",
  ping: ": ping\n\n",
  comment: (text) => `: ${escapeLineBreaks(text)}\n\n`,
  terminator: "data: [DONE]\n\n",
};

/** Server-sent events named by the `type` of their data. */
export const NAMED_EVENTS: StreamFormat = {
  ...DATA_EVENTS,
  begin: (item) => `event: ${typeOf(item)}\ndata: `,
  terminator: "",
};

/** One JSON value per line. */
export const JSON_LINES: StreamFormat = {
  contentType: "application/x-ndjson; charset=utf-8",
  print: printOneLine,
  begin: () => "",
  end: "\n",
  ping: undefined,
  comment: undefined,
  terminator: "",
};

function typeOf(item: object): string {
  const type = "type" in item ? item.type : undefined;
  assert(typeof type === "string", "an event that is named by its type has none");
  return type;
}

export interface EventStreamOptions {
  readonly format: StreamFormat;
  /** Formats an error that occurs after the first item, as the last item of the stream. */
  readonly printError: (error: GgufdError) => object;
  readonly signal: AbortSignal;
  /** Idle time before a ping is sent, in milliseconds. */
  readonly pingAfterMs: number;
  /**
   * Describes what the stream is waiting for, sent as a comment with a ping; `undefined`: nothing.
   */
  readonly waitsFor?: () => string | undefined;
  /**
   * When the headers are sent. `at-once` confirms the request before there is any item.
   * @default "with-first-item"
   */
  readonly begins?: "at-once" | "with-first-item";
}

/**
 * Answers with a stream of items. By default the headers are sent with the first item or ping; an
 * error before that is thrown, so that the caller can answer with its status. Applies backpressure
 * for slow clients, and returns without draining the source when `signal` is aborted.
 * @param source the items, or a promise of them while a model is still loading
 */
export async function sendEventStream(
  reply: FastifyReply,
  source: AsyncIterator<object> | Promise<AsyncIterator<object>>,
  {
    format,
    printError,
    signal,
    pingAfterMs,
    waitsFor,
    begins = "with-first-item",
  }: EventStreamOptions,
): Promise<void> {
  assert(!reply.raw.headersSent, "an answer has begun before its event stream");
  const opening = Promise.resolve(source);
  let next = opening.then((items) => items.next());
  if (begins === "with-first-item") await settlesWithin(next, pingAfterMs);

  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    "content-type": format.contentType,
    "cache-control": "no-cache",
    "x-accel-buffering": "no",
  });
  raw.flushHeaders();
  let isWriting = false;
  const writeInTurns = async (item: object) => {
    for await (const text of textsOf(item, format)) {
      if (raw.destroyed) break;
      if (!raw.write(text)) await drained(raw, signal);
    }
  };
  const ping = setInterval(() => {
    if (isWriting) return;
    const reason = waitsFor?.();
    if (reason !== undefined && format.comment !== undefined) raw.write(format.comment(reason));
    if (format.ping !== undefined) raw.write(format.ping);
  }, pingAfterMs);
  try {
    const items = await opening;
    for (let item = await next; !item.done; item = await next) {
      const { value } = item;
      isWriting = true;
      if (!(value instanceof PrintedItem) && !isSmall(value)) await writeInTurns(value);
      else if (!raw.destroyed && !raw.write(textOf(value, format))) await drained(raw, signal);
      isWriting = false;
      ping.refresh();
      next = items.next();
    }
    if (!raw.destroyed) raw.write(format.terminator);
  } catch (thrown) {
    const error = toClientError(thrown);
    reply.request.errorCode = error.code;
    logServerError(error, reply.request);
    if (!raw.destroyed) raw.write(textOf(printError(error), format));
  } finally {
    clearInterval(ping);
    raw.end();
  }
}

function textOf(item: object, { begin, print, end }: StreamFormat): string {
  if (item instanceof PrintedItem) return begin(item.like) + item.json + end;
  return begin(item) + print(item) + end;
}

/** Prints a large item in chunks, with an event-loop turn between them. */
async function* textsOf(item: object, format: StreamFormat): AsyncGenerator<string, void> {
  yield format.begin(item);
  yield* printInTurns(item, format.print);
  yield format.end;
}

/** Waits until the socket buffer has drained or the client has disconnected. */
async function drained(raw: ServerResponse, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await once(raw, "drain", { signal }).catch(() => undefined);
}
