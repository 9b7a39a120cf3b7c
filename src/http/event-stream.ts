import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import { type GgufdError, toClientError } from "../core/errors.js";

export interface EventStreamOptions {
  /** Turns an error that comes after the first event into a last event. */
  readonly printError: (error: GgufdError) => object;
  /** Line that ends a complete stream. */
  readonly terminator: string;
  readonly signal: AbortSignal;
  /** Silence after which a comment keeps the connection alive, in milliseconds. */
  readonly pingAfterMs: number;
}

/**
 * Answers with server-sent events, one for each item. The headers go out with the first item, or
 * after the first silence: until then an error is thrown to the caller, who can still answer with
 * its status. Waits for slow clients; ends at once when `signal` is aborted.
 */
export async function sendEventStream(
  reply: FastifyReply,
  items: AsyncIterator<object>,
  { printError, terminator, signal, pingAfterMs }: EventStreamOptions,
): Promise<void> {
  let next = items.next();
  if ((await firstOf(next, pingAfterMs)) === "settled") await next;

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
  } catch (error) {
    if (!signal.aborted) {
      raw.write(`data: ${JSON.stringify(printError(toClientError(error)))}\n\n`);
    }
  } finally {
    clearInterval(ping);
    raw.end();
  }
}

async function firstOf(promise: Promise<unknown>, timeoutMs: number): Promise<"settled" | "late"> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), timeoutMs);
  });
  const settled = promise.then(
    () => "settled" as const,
    () => "settled" as const,
  );
  const first = await Promise.race([settled, late]);
  clearTimeout(timer);
  return first;
}

/** Writes, and waits until the client has taken what is buffered, or has gone. */
async function write(raw: ServerResponse, text: string, signal: AbortSignal): Promise<void> {
  if (raw.write(text) || signal.aborted) return;
  await once(raw, "drain", { signal }).catch(() => undefined);
}
