import type { MediaFile } from "../core/media.js";
import type { ParsedJson } from "../http/parse-json.js";
import type { InlineSource } from "../media/inline-media.js";
import type { ErrorRecord } from "../process/error-record.js";

/** A job of a worker thread. Supports structured cloning. */
export type BodyJob =
  | {
      readonly type: "parse-json";
      readonly bytes: Uint8Array;
      readonly verbatimMembers: readonly string[];
    }
  | { readonly type: "read-file"; readonly source: InlineSource; readonly maxBytes: number };

/** The reply to a {@link BodyJob}. */
export type BodyReply =
  | { readonly type: "parsed"; readonly json: ParsedJson }
  /** `file` is a string if the file cannot be read: the reason. */
  | { readonly type: "read"; readonly file: MediaFile | string }
  | { readonly type: "failed"; readonly error: ErrorRecord };

/**
 * Returns the buffer of bytes for transfer; empty if the buffer is shared with other data, as with
 * small Node.js buffers.
 */
export function transferListOf({ buffer, byteLength }: Uint8Array): readonly ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}
