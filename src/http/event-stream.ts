import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import { type GgufdError, toClientError } from "../core/errors.js";
import { logServerError } from "./error-handler.js";

export interface EventStreamOptions {
  /** Formats an error after the first event as the last event. */
  readonly printError: (error: GgufdError) => object;
  /** Data of the event that ends a complete stream. */
  readonly terminator: string;
  readonly signal: AbortSignal;
  /** Idle time after which a comment is sent as keep-alive, in milliseconds. */
  readonly pingAfterMs: number;
}

/**
 * Answers with server-sent events, one per item. The headers are sent with the first item or the
 * first keep-alive comment; an error before that is thrown, so that the caller can answer with its
 * status. Applies backpressure for slow clients; ends immediately when `signal` is aborted.
 */
export async function sendEventStream(
  reply: FastifyReply,
  items: AsyncIterator<object>,
  { printError, terminator, signal, pingAfterMs }: EventStreamOptions,
): Promise<void> {
  let next = items.next();
  if ((await raceTimeout(next, pingAfterMs)) === "settled") await next;

  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
    connection: "keep-alive",
    "x-accel-buffering": "no",
  });
  raw.flushHeaders();
  const ping = setInterval(() => raw.write(": ping\n\n"), pingAfterMs);
  try {
    for (let item = await next; !item.done; item = await next) {
      await write(raw, `data: ${JSON.stringify(item.value)}\n\n`, signal);
      ping.refresh();
      next = items.next();
    }
    if (!signal.aborted) raw.write(`data: ${terminator}\n\n`);
  } catch (thrown) {
    const error = toClientError(thrown);
    logServerError(error, reply.request);
    if (!signal.aborted) raw.write(`data: ${JSON.stringify(printError(error))}\n\n`);
  } finally {
    clearInterval(ping);
    raw.end();
  }
}

async function raceTimeout(
  promise: Promise<unknown>,
  timeoutMs: number,
): Promise<"settled" | "timed-out"> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<"timed-out">((resolve) => {
    timer = setTimeout(() => resolve("timed-out"), timeoutMs);
  });
  const settled = promise.then(
    () => "settled" as const,
    () => "settled" as const,
  );
  const first = await Promise.race([settled, timeout]);
  clearTimeout(timer);
  return first;
}

/** Writes and waits until the socket buffer has drained or the client has disconnected. */
async function write(raw: ServerResponse, text: string, signal: AbortSignal): Promise<void> {
  if (raw.write(text) || signal.aborted) return;
  await once(raw, "drain", { signal }).catch(() => undefined);
}
