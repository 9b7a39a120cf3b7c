import type { Readable } from "node:stream";
import type { FastifyRequest } from "fastify";
import { GgufdError } from "../core/errors.js";
import { reasonOf } from "../core/reason-of.js";
import { tooLarge } from "./error-handler.js";

/** Memory for a body of unknown size, at first. */
const FIRST_BYTES = 64 * 1024;

/**
 * Reads a body into memory of its own size. Fastify keeps the pieces of a body and joins them at its end: twice its size,
 * of which the pieces stay until garbage is collected.
 * @throws {GgufdError} `payload_too_large`; `invalid_request` for a body that ends early
 */
export async function readBytes(request: FastifyRequest, body: Readable): Promise<Buffer> {
  const { bodyLimit } = request.routeOptions;
  const declaredBytes = declaredSize(request);
  if (declaredBytes !== undefined && declaredBytes > bodyLimit) throw tooLarge("body", bodyLimit);
  let bytes: Buffer = Buffer.allocUnsafeSlow(declaredBytes ?? FIRST_BYTES);
  let length = 0;
  try {
    // The answer to a request that is refused needs its connection.
    const pieces: AsyncIterable<Buffer> = body.iterator({ destroyOnReturn: false });
    for await (const piece of pieces) {
      const end = length + piece.length;
      if (end > bodyLimit) throw tooLarge("body", bodyLimit);
      if (end > bytes.length) bytes = enlarged(bytes, Math.max(end, 2 * length));
      piece.copy(bytes, length);
      length = end;
    }
  } catch (cause) {
    if (cause instanceof GgufdError) throw cause;
    throw new GgufdError("invalid_request", `body: ${reasonOf(cause)}.`, { cause });
  }
  if (declaredBytes !== undefined && length !== declaredBytes) {
    const message = `body: expected as many bytes as content-length says, ${declaredBytes}, got ${length}.`;
    throw new GgufdError("invalid_request", message);
  }
  return bytes.length === length ? bytes : enlarged(bytes.subarray(0, length), length);
}

/** The size of a body by its head, in bytes; `undefined`: it is known at its end. */
export function declaredSize({ headers }: FastifyRequest): number | undefined {
  const { "content-length": length, "transfer-encoding": encoding } = headers;
  return encoding === undefined ? Number(length ?? 0) : undefined;
}

function enlarged(bytes: Buffer, size: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(size);
  bytes.copy(larger);
  return larger;
}
