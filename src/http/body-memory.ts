import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Reservation } from "../core/byte-budget.js";
import { GgufdError } from "../core/errors.js";
import type { MediaMemory } from "../core/media-memory.js";
import { declaredSize } from "./body-bytes.js";
import { disconnectSignal } from "./caller.js";

declare module "fastify" {
  interface FastifyInstance {
    /** Absent: bodies are not counted. */
    mediaMemory?: MediaMemory;
  }
  interface FastifyRequest {
    /** What its body and the files in it take; `undefined`: the body is small. */
    bodyMemory: Reservation | undefined;
  }
}

/** The largest body that does not count, in bytes. */
export const UNCOUNTED_BODY_BYTES = 256 * 1024;

/**
 * What a body takes while it is answered, as a multiple of its size: its text, and the files in it, three quarters of it,
 * once here and once in the engine's process.
 */
const BYTES_HELD_PER_BYTE = 2.5;

/**
 * Has the bodies of an application wait for memory before they are read, unless they are small. Their connections are not
 * read meanwhile, so that their clients stop sending. To be called when unknown paths are refused.
 */
export function limitBodyMemory(app: FastifyInstance, memory: MediaMemory): void {
  app.decorate("mediaMemory", memory);
  app.decorateRequest("bodyMemory");
  app.addHook("preParsing", async (request, reply, body) => {
    const { bodyLimit, config } = request.routeOptions;
    // A form counts when it is read: the limit of its size is another one.
    if (config.bodyType !== undefined) return body;
    const sizeBytes = declaredSize(request);
    if (sizeBytes === undefined) {
      const chunks = countedBody(body as Readable, request, reply);
      return Readable.from(chunks, { objectMode: false });
    }
    // One that is too large is refused unread.
    if (sizeBytes <= bodyLimit) await reserveBody(request, reply, sizeBytes);
    return body;
  });
}

/**
 * Reserves memory for a body, until its answer has ended.
 * @param sizeBytes of the body, at most
 * @throws {GgufdError} `payload_too_large`: the server has less memory for all bodies; `server_overloaded`: none was free
 */
export async function reserveBody(
  request: FastifyRequest,
  reply: FastifyReply,
  sizeBytes: number,
): Promise<void> {
  const memory = request.server.mediaMemory;
  if (memory === undefined || sizeBytes <= UNCOUNTED_BODY_BYTES) return;
  const bytes = Math.ceil(BYTES_HELD_PER_BYTE * sizeBytes);
  if (bytes > memory.limitBytes) {
    const mostBytes = Math.floor(memory.limitBytes / BYTES_HELD_PER_BYTE);
    const message = `body: expected at most ${mostBytes} bytes, because this server has ${memory.limitBytes} bytes of memory for all bodies (--media-ram), got ${sizeBytes}.`;
    throw new GgufdError("payload_too_large", message);
  }
  const gone = disconnectSignal(reply);
  const reservation = await memory.reserve(bytes, gone).catch((error: unknown) => {
    throw gone.aborted ? hungUp() : error;
  });
  if (reply.raw.closed) {
    reservation.release();
    throw hungUp();
  }
  reply.raw.once("close", reservation.release);
  request.bodyMemory = reservation;
}

/** Gives back what a body of unknown size does not take. @param sizeBytes that it has */
export function reduceBody({ bodyMemory }: FastifyRequest, sizeBytes: number): void {
  bodyMemory?.reduceTo(Math.ceil(BYTES_HELD_PER_BYTE * sizeBytes));
}

/**
 * Keeps the memory of a request's body reserved, for work that goes on after its answer.
 * @returns releases it
 */
export function holdBodyMemory({ bodyMemory }: Pick<FastifyRequest, "bodyMemory">): () => void {
  return bodyMemory?.hold() ?? (() => undefined);
}

/** A body of unknown size: it is small until it is found to be large, and then may be as large as any. */
async function* countedBody(
  body: Readable,
  request: FastifyRequest,
  reply: FastifyReply,
): AsyncGenerator<Buffer, void> {
  let sizeBytes = 0;
  // The answer to a request that is refused needs its connection.
  const chunks: AsyncIterable<Buffer> = body.iterator({ destroyOnReturn: false });
  for await (const chunk of chunks) {
    const wasSmall = sizeBytes <= UNCOUNTED_BODY_BYTES;
    sizeBytes += chunk.length;
    if (wasSmall && sizeBytes > UNCOUNTED_BODY_BYTES) {
      await reserveBody(request, reply, request.routeOptions.bodyLimit).catch((error) => {
        // The rest is not worth any time, nor is it to be taken for another request.
        reply.header("connection", "close");
        throw error;
      });
    }
    yield chunk;
  }
  reduceBody(request, sizeBytes);
}

function hungUp(): GgufdError {
  return new GgufdError("request_timeout", "The client disconnected before its body was read.");
}
