import type { MediaFile } from "../core/media.js";
import type { ParsedJson } from "../http/parse-json.js";
import type { InlineSource } from "../media/inline-media.js";
import type { ErrorRecord } from "../process/error-record.js";

/** What a worker thread is asked to do. Supports structured cloning. */
export type BodyJob =
  | { readonly type: "parse-json"; readonly bytes: Uint8Array; readonly written: readonly string[] }
  | { readonly type: "read-file"; readonly source: InlineSource; readonly maxBytes: number };

/** The reply to a {@link BodyJob}. */
export type BodyReply =
  | { readonly type: "parsed"; readonly json: ParsedJson }
  /** A text: why the file cannot be read. */
  | { readonly type: "read"; readonly file: MediaFile | string }
  | { readonly type: "failed"; readonly error: ErrorRecord };

/** The memory of bytes, to be transferred; none where they share it with others, as small buffers do. */
export function ownBuffers({ buffer, byteLength }: Uint8Array): readonly ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}
