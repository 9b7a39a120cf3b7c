import { createHash } from "node:crypto";
import fastifyMultipart, { type MultipartFile, type MultipartValue } from "@fastify/multipart";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { GgufdError, refusalOf, shortenedName } from "../core/errors.js";
import type { MediaFile } from "../core/media.js";
import { reasonOf } from "../core/reason-of.js";
import { reduceBody, reserveBody } from "./body-memory.js";
import { tooLarge, unsupportedMediaType } from "./error-handler.js";
import type { BodyType } from "./route.js";

/** Forms whose fields may be files: RFC 7578. */
const FORM: BodyType = "multipart/form-data";

/** What a field of a form is; a list: several fields have its name. */
type FormValue = string | readonly string[] | MediaFile;

/** Far more than clients send. */
const LIMITS = { files: 1, parts: 32, fieldSize: 64 * 1024, headerPairs: 16 } as const;

const MAX_TEXT_BYTES = LIMITS.parts * LIMITS.fieldSize;

export interface FormBodies {
  /** The only field that may be a file. */
  readonly fileField: string;
  readonly maxFileBytes: number;
}

/**
 * Parses the bodies of a scope as forms, and no others. A body is an object by the names of its fields, whose values are
 * texts; of the file it has the bytes. It is read piece by piece, so that a large file delays nobody, and has a limit of
 * its own.
 */
export function readFormBodies(scope: FastifyInstance, options: FormBodies): void {
  scope.removeAllContentTypeParsers();
  scope.register(fastifyMultipart, { throwFileSizeLimit: false });
  scope.addHook("preValidation", async (request, reply) => {
    if (!request.isMultipart()) throw unsupportedMediaType(request);
    try {
      request.body = await readForm(request, reply, options);
    } catch (error) {
      // The rest of it is not worth any time, nor is it to be taken for another request.
      request.raw.unpipe().pause();
      reply.header("connection", "close");
      throw toFormError(error, options.fileField);
    }
  });
}

async function readForm(
  request: FastifyRequest,
  reply: FastifyReply,
  { fileField, maxFileBytes }: FormBodies,
): Promise<Readonly<Record<string, FormValue>>> {
  const maxBytes = maxFileBytes + MAX_TEXT_BYTES;
  const { "content-length": length = maxBytes } = request.headers;
  if (Number(length) > maxBytes) throw tooLarge("body", maxBytes);
  await reserveBody(request, reply, Number(length));
  const form = new Map<string, FormValue>();
  for await (const part of request.parts({ limits: { ...LIMITS, fileSize: maxFileBytes } })) {
    const name = part.fieldname;
    // The plugin's types do not say so.
    if (name === undefined) throw refusal("body", "expected a name of each field, got none of one");
    const before = form.get(name);
    if (part.type === "field") {
      form.set(name, withText(before, part));
      continue;
    }
    if (name !== fileField) throw refusal(name, "expected a text, got a file");
    if (before !== undefined) throw refusal(name, "expected one file, got more");
    form.set(name, await readFile(part, maxFileBytes));
  }
  const file = form.get(fileField);
  const fileBytes = typeof file === "object" && "bytes" in file ? file.bytes.length : 0;
  reduceBody(request, fileBytes + MAX_TEXT_BYTES);
  // Unlike assignments, this makes a field of any name an own one.
  return Object.fromEntries(form);
}

/** A field with another text of its name. */
function withText(before: FormValue | undefined, part: MultipartValue): FormValue {
  const { fieldname, value, valueTruncated } = part;
  if (valueTruncated) {
    throw refusal(fieldname, `expected at most ${LIMITS.fieldSize} bytes, got more`);
  }
  // A field that says that it is JSON comes parsed.
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (before === undefined) return text;
  if (typeof before === "string") return [before, text];
  if ("bytes" in before) throw refusal(fieldname, "expected one file, got a text as well");
  return [...before, text];
}

/** A file, hashed as it arrives. */
async function readFile({ file, fieldname }: MultipartFile, maxBytes: number): Promise<MediaFile> {
  const hash = createHash("sha256");
  const chunks: Buffer[] = [];
  for await (const chunk of file as AsyncIterable<Buffer>) {
    if (file.truncated) break;
    hash.update(chunk);
    chunks.push(chunk);
  }
  if (file.truncated) throw tooLarge(fieldname, maxBytes);
  if (chunks.length === 0) throw refusal(fieldname, "expected a file, got an empty one");
  return { type: "file", bytes: Buffer.concat(chunks), hash: hash.digest("hex") };
}

function refusal(field: string, reason: string): GgufdError {
  return refusalOf("invalid_request", [{ field: shortenedName(field), reason }]);
}

/** What a form was refused for; the plugin's own errors by their codes. */
function toFormError(error: unknown, fileField: string): GgufdError {
  if (error instanceof GgufdError) return error;
  switch (error instanceof Error && "code" in error ? error.code : undefined) {
    case "FST_FILES_LIMIT":
      return refusal(fileField, "expected one file, got more");
    case "FST_PARTS_LIMIT":
      return refusal("body", `expected at most ${LIMITS.parts} fields, got more`);
  }
  return new GgufdError("invalid_request", `body: expected ${FORM}: ${reasonOf(error)}.`, {
    cause: error,
  });
}
