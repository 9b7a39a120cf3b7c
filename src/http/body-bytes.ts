import type { Readable } from "node:stream";
import type { FastifyRequest } from "fastify";
import { GgufdError } from "../core/errors.js";
import { formatReason } from "../core/format-reason.js";
import { createTooLargeError } from "./error-handler.js";

/** Initial buffer for a body of unknown size. */
const INITIAL_BUFFER_BYTES = 64 * 1024;

/**
 * Reads a body into a single buffer. Fastify would collect the chunks and then join them, which
 * takes twice the size until the chunks are garbage-collected.
 * @throws {GgufdError} `payload_too_large`; `invalid_request` for a truncated body
 */
export async function readBytes(request: FastifyRequest, body: Readable): Promise<Buffer> {
  const { bodyLimit } = request.routeOptions;
  const declaredBytes = declaredSizeOf(request);
  if (declaredBytes !== undefined && declaredBytes > bodyLimit)
    throw createTooLargeError("body", bodyLimit);
  let bytes: Buffer = Buffer.allocUnsafeSlow(declaredBytes ?? INITIAL_BUFFER_BYTES);
  let length = 0;
  try {
    // The connection stays open for the error response of a refused request.
    const pieces: AsyncIterable<Buffer> = body.iterator({ destroyOnReturn: false });
    for await (const piece of pieces) {
      const end = length + piece.length;
      if (end > bodyLimit) throw createTooLargeError("body", bodyLimit);
      if (end > bytes.length) bytes = resizeBuffer(bytes, Math.max(end, 2 * length));
      piece.copy(bytes, length);
      length = end;
    }
  } catch (cause) {
    if (cause instanceof GgufdError) throw cause;
    throw new GgufdError("invalid_request", `body: ${formatReason(cause)}.`, { cause });
  }
  if (declaredBytes !== undefined && length !== declaredBytes) {
    const message = `body: expected ${declaredBytes} bytes, as declared by content-length, got ${length}.`;
    throw new GgufdError("invalid_request", message);
  }
  return bytes.length === length ? bytes : resizeBuffer(bytes.subarray(0, length), length);
}

/** Size declared by the request head, in bytes; `undefined`: known only at the end of the body. */
export function declaredSizeOf({ headers }: FastifyRequest): number | undefined {
  const { "content-length": length, "transfer-encoding": encoding } = headers;
  return encoding === undefined ? Number(length ?? 0) : undefined;
}

function resizeBuffer(bytes: Buffer, size: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(size);
  bytes.copy(larger);
  return larger;
}
