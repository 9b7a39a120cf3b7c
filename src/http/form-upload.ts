import type { FastifyInstance, FastifyRequest } from "fastify";
import { toClientError } from "../core/errors.js";
import { createTooLargeError } from "./error-handler.js";
import {
  acceptForms,
  createFieldError,
  EMPTY_FILE,
  maxFormBytesOf,
  parseForm,
} from "./form-body.js";

/** A received file that the handler keeps or discards. */
export interface UploadedContent {
  readonly bytes: number;
  discard(): Promise<void>;
}

/** The file field of a form whose file was stored while it arrived. */
export interface UploadedFile<Content extends UploadedContent> {
  readonly filename: string;
  readonly content: Content;
}

export interface UploadOptions<Content extends UploadedContent> {
  /** The only field that may be a file. */
  readonly fileField: string;
  readonly maxFileBytes: number;
  /** Stores the file as it arrives; rejects, with nothing left, if its source fails. */
  readonly receive: (
    request: FastifyRequest,
    source: AsyncIterable<Uint8Array>,
  ) => Promise<Content>;
}

/** Name of a file whose form gives none. */
const NO_NAME = "upload";

/**
 * Parses the bodies of a scope as forms with a file that is never in memory as a whole. The result
 * is an object keyed by field name, with text values and an {@link UploadedFile}.
 */
export function readUploadForms<Content extends UploadedContent>(
  scope: FastifyInstance,
  { fileField, maxFileBytes, receive }: UploadOptions<Content>,
): void {
  acceptForms(scope, async (request) => {
    const maxBytes = maxFormBytesOf(maxFileBytes);
    const { "content-length": length = 0 } = request.headers;
    if (Number(length) > maxBytes) throw createTooLargeError("body", maxBytes);
    let received: Promise<UploadedFile<Content>> | undefined;
    let interrupt: (error: unknown) => void = () => undefined;
    try {
      const texts = await new Promise<ReadonlyMap<string, string | readonly string[]>>(
        (resolve, reject) => {
          const parsed = parseForm(request, {
            fileField,
            maxFileBytes,
            takeFile: (stream, _refuse, filename = NO_NAME) => {
              interrupt = (error) =>
                stream.destroy(error instanceof Error ? error : new Error("the form ended"));
              // A store that refuses the file leaves its stream to the parser.
              const source = stream.iterator({ destroyOnReturn: false });
              received = receive(request, source).then(
                (content) => ({ filename, content }),
                (error) => Promise.reject(toClientError(error)),
              );
              received.catch(reject);
            },
          });
          parsed.then(resolve, reject);
        },
      );
      const file = await received;
      if (file?.content.bytes === 0) throw createFieldError(fileField, EMPTY_FILE);
      return Object.fromEntries(file === undefined ? texts : [...texts, [fileField, file]]);
    } catch (error) {
      interrupt(error);
      const file = await received?.catch(() => undefined);
      await file?.content.discard();
      throw error;
    }
  });
}
