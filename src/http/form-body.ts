import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { setImmediate } from "node:timers/promises";
import {
  Busboy,
  type BusboyFileStream,
  type BusboyHeaders,
  type BusboyInstance,
} from "@fastify/busboy";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { createRefusal, GgufdError, shortenName } from "../core/errors.js";
import { formatReason } from "../core/format-reason.js";
import type { MediaFile } from "../core/media.js";
import { reduceBody, reserveBody } from "./body-memory.js";
import { createMediaTypeError, createTooLargeError } from "./error-handler.js";
import type { BodyType } from "./route.js";

/** Forms with file fields: RFC 7578. */
const FORM: BodyType = "multipart/form-data";

/** The value of a form field; a list if several fields share a name. */
type FormValue = string | readonly string[] | MediaFile;

/** Far above what real clients send. */
const LIMITS = { files: 1, parts: 32, fieldSize: 64 * 1024, headerPairs: 16 } as const;

const MAX_TEXT_BYTES = LIMITS.parts * LIMITS.fieldSize;

/** Bytes parsed per event-loop turn: a slice full of boundaries takes 5 ms. */
const SLICE_BYTES = 8 * 1024;

export interface FormBodyOptions {
  /** The only field that may be a file. */
  readonly fileField: string;
  readonly maxFileBytes: number;
}

/**
 * Parses the bodies of a scope as forms, and refuses other types. The result is an object keyed by
 * field name, with text values and the file's bytes. Forms have their own size limit.
 */
export function readFormBodies(scope: FastifyInstance, options: FormBodyOptions): void {
  acceptForms(scope, (request, reply) => readForm(request, reply, options));
}

/**
 * Replaces the body of requests to a scope's routes of forms by the result of a function that reads
 * the form, and refuses other types.
 */
export function acceptForms(
  scope: FastifyInstance,
  read: (request: FastifyRequest, reply: FastifyReply) => Promise<object>,
): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(FORM, (_request, payload, done) => done(null, payload));
  scope.addHook("preValidation", async (request, reply) => {
    if (request.routeOptions.config.bodyType !== FORM) return;
    // Fastify has refused other types; a request without a body has none.
    if (request.body === undefined) throw createMediaTypeError(request);
    try {
      request.body = await read(request, reply);
    } catch (error) {
      // Pausing avoids reading the rest of the body, or taking it for another request.
      request.raw.pause();
      reply.header("connection", "close");
      throw toFormError(error);
    }
  });
}

async function readForm(
  request: FastifyRequest,
  reply: FastifyReply,
  { fileField, maxFileBytes }: FormBodyOptions,
): Promise<Readonly<Record<string, FormValue>>> {
  const maxBytes = maxFormBytesOf(maxFileBytes);
  const { "content-length": length = maxBytes } = request.headers;
  if (Number(length) > maxBytes) throw createTooLargeError("body", maxBytes);
  await reserveBody(request, reply, Number(length));
  let file: MediaFile | undefined;
  const texts = await parseForm(request, {
    fileField,
    maxFileBytes,
    takeFile: (stream, refuse) =>
      collectFile(stream, (media) => {
        if (media.bytes.length === 0) refuse(EMPTY_FILE);
        file = media;
      }),
  });
  reduceBody(request, (file?.bytes.length ?? 0) + MAX_TEXT_BYTES);
  // Unlike assignment, `fromEntries` creates own properties for names such as `__proto__`.
  return Object.fromEntries(file === undefined ? texts : [...texts, [fileField, file]]);
}

/** Reason of the refusal of an empty file. */
export const EMPTY_FILE = "expected a file, got an empty one";

/** Maximum size of a form with a file of at most `maxFileBytes`. */
export function maxFormBytesOf(maxFileBytes: number): number {
  return maxFileBytes + MAX_TEXT_BYTES;
}

export interface FormParsing extends FormBodyOptions {
  /** Receives the file as it arrives. @param refuse refuses the form with a reason */
  readonly takeFile: (
    stream: BusboyFileStream,
    refuse: (reason: string) => void,
    filename: string | undefined,
  ) => void;
}

/** Parses a form with at most one file. Resolves with its texts when the whole form was parsed. */
export async function parseForm(
  request: FastifyRequest,
  { fileField, maxFileBytes, takeFile }: FormParsing,
): Promise<ReadonlyMap<string, string | readonly string[]>> {
  const texts = new Map<string, string | readonly string[]>();
  let hasFile = false;
  const parser = new Busboy({
    headers: request.headers as BusboyHeaders,
    limits: { ...LIMITS, fileSize: maxFileBytes },
  });
  await new Promise<void>((resolve, reject) => {
    const refuse = (field: string, reason: string) => reject(createFieldError(field, reason));
    parser.on("field", (name: string | undefined, text, _isNameCut, isCut) => {
      if (name === undefined) return refuse("body", MISSING_NAME);
      if (isCut) return refuse(name, `expected at most ${LIMITS.fieldSize} bytes, got more`);
      if (name === fileField && hasFile) {
        return refuse(name, "expected one file, got a text as well");
      }
      const previousValue = texts.get(name);
      texts.set(name, previousValue === undefined ? text : [previousValue, text].flat());
    });
    parser.on("file", (name: string | undefined, stream, filename: string | undefined) => {
      if (name === undefined) return refuse("body", MISSING_NAME);
      if (name !== fileField) return refuse(name, "expected a text, got a file");
      if (texts.has(name)) return refuse(name, "expected one file, got more");
      hasFile = true;
      stream.on("error", reject);
      stream.once("limit", () => reject(createTooLargeError(name, maxFileBytes)));
      takeFile(stream, (reason) => refuse(name, reason), filename);
    });
    parser.once("filesLimit", () => refuse(fileField, "expected one file, got more"));
    parser.once("partsLimit", () =>
      refuse("body", `expected at most ${LIMITS.parts} fields, got more`),
    );
    parser.on("error", reject);
    parser.once("finish", resolve);
    feed(parser, request.raw).catch(reject);
  }).finally(() => parser.destroy());
  return texts;
}

const MISSING_NAME = "expected every field to have a name, got one without";

/** Feeds a body to the parser slice by slice, until the body ends or the parser is destroyed. */
async function feed(parser: BusboyInstance, body: IncomingMessage): Promise<void> {
  // The connection stays open for the response.
  const chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  for await (const chunk of chunks) {
    for (let offset = 0; offset < chunk.length; offset += SLICE_BYTES) {
      const slice = chunk.subarray(offset, offset + SLICE_BYTES);
      await new Promise((resolve) => parser.write(slice, resolve));
      await setImmediate();
      if (parser.destroyed) return;
    }
  }
  parser.end();
}

/** Collects a file and hashes it as it arrives. */
function collectFile(file: BusboyFileStream, onEnd: (file: MediaFile) => void): void {
  const hash = createHash("sha256");
  const chunks: Buffer[] = [];
  file.on("data", (chunk: Buffer) => {
    hash.update(chunk);
    chunks.push(chunk);
  });
  file.once("end", () =>
    onEnd({ type: "file", bytes: Buffer.concat(chunks), hash: hash.digest("hex") }),
  );
}

/** Creates the error of an invalid field of a form. */
export function createFieldError(field: string, reason: string): GgufdError {
  return createRefusal("invalid_request", [{ field: shortenName(field), reason }]);
}

/** Maps an error of the form parser to the catalogue. */
function toFormError(error: unknown): GgufdError {
  if (error instanceof GgufdError) return error;
  return new GgufdError("invalid_request", `body: expected ${FORM}: ${formatReason(error)}.`, {
    cause: error,
  });
}
