import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Reservation } from "../core/byte-budget.js";
import { GgufdError } from "../core/errors.js";
import type { MediaMemory } from "../core/media-memory.js";
import { declaredSizeOf } from "./body-bytes.js";
import { createDisconnectSignal } from "./caller.js";

declare module "fastify" {
  interface FastifyInstance {
    /** Absent: the memory of bodies is unlimited. */
    mediaMemory?: MediaMemory;
  }
  interface FastifyRequest {
    /** Memory reserved for the body and the files in it; `undefined`: the body is small. */
    bodyMemory: Reservation | undefined;
  }
}

/** Largest body that needs no reservation, in bytes. */
export const UNCOUNTED_BODY_BYTES = 256 * 1024;

/**
 * Memory held while a body is answered, per byte of the body: its text, plus its files (three
 * quarters of it) once in this process and once in the engine's.
 */
const BYTES_HELD_PER_BYTE = 2.5;

/**
 * Makes large bodies wait for memory before they are read. Their connections are not read
 * meanwhile, which makes the clients stop sending. Call after unknown paths are refused.
 */
export function limitBodyMemory(app: FastifyInstance, memory: MediaMemory): void {
  app.decorate("mediaMemory", memory);
  app.decorateRequest("bodyMemory");
  app.addHook("preParsing", async (request, reply, body) => {
    const { bodyLimit, config } = request.routeOptions;
    // Forms reserve memory when they are read, because they have their own size limit.
    if (config.bodyType !== undefined) return body;
    const sizeBytes = declaredSizeOf(request);
    if (sizeBytes === undefined) {
      const chunks = countBodyBytes(body as Readable, request, reply);
      return Readable.from(chunks, { objectMode: false });
    }
    // A larger body is refused unread.
    if (sizeBytes <= bodyLimit) await reserveBody(request, reply, sizeBytes);
    return body;
  });
}

/**
 * Reserves memory for a body until its response has ended.
 * @param sizeBytes upper bound of the body's size
 * @throws {GgufdError} `payload_too_large`: the body exceeds the memory for all bodies;
 *   `server_overloaded`: no memory became free in time
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
    const maxBodyBytes = Math.floor(memory.limitBytes / BYTES_HELD_PER_BYTE);
    const message = `body: expected at most ${maxBodyBytes} bytes, because this server has ${memory.limitBytes} bytes of memory for all bodies (--media-ram), got ${sizeBytes}.`;
    throw new GgufdError("payload_too_large", message);
  }
  const disconnection = createDisconnectSignal(reply);
  const reservation = await memory.reserve(bytes, disconnection).catch((error: unknown) => {
    throw disconnection.aborted ? createHangUpError() : error;
  });
  if (reply.raw.closed) {
    reservation.release();
    throw createHangUpError();
  }
  reply.raw.once("close", reservation.release);
  request.bodyMemory = reservation;
}

/** Shrinks the reservation of a body of unknown size to its actual size. */
export function reduceBody({ bodyMemory }: FastifyRequest, sizeBytes: number): void {
  bodyMemory?.reduceTo(Math.ceil(BYTES_HELD_PER_BYTE * sizeBytes));
}

/**
 * Keeps the memory of a request's body reserved for work that continues after its response.
 * @returns releases the memory
 */
export function holdBodyMemory({ bodyMemory }: Pick<FastifyRequest, "bodyMemory">): () => void {
  return bodyMemory?.hold() ?? (() => undefined);
}

/**
 * Counts a body of unknown size: no reservation while it is small, the largest permitted size
 * afterwards.
 */
async function* countBodyBytes(
  body: Readable,
  request: FastifyRequest,
  reply: FastifyReply,
): AsyncGenerator<Buffer, void> {
  let sizeBytes = 0;
  // The connection stays open for the error response of a refused request.
  const chunks: AsyncIterable<Buffer> = body.iterator({ destroyOnReturn: false });
  for await (const chunk of chunks) {
    const wasSmall = sizeBytes <= UNCOUNTED_BODY_BYTES;
    sizeBytes += chunk.length;
    if (wasSmall && sizeBytes > UNCOUNTED_BODY_BYTES) {
      await reserveBody(request, reply, request.routeOptions.bodyLimit).catch((error) => {
        // Closing the connection avoids reading the rest of the body, or taking it for another
        // request.
        reply.header("connection", "close");
        throw error;
      });
    }
    yield chunk;
  }
  reduceBody(request, sizeBytes);
}

function createHangUpError(): GgufdError {
  return new GgufdError("request_timeout", "The client disconnected before its body was read.");
}
