/** Media kinds that a projector accepts, and the limits of one file. Plain data. */
export interface AcceptedMedia {
  /** Absent if images are not accepted. */
  readonly images?: { readonly maxPixels: number };
  /** `sampleRate` is in samples per second. Absent if audio is not accepted. */
  readonly audio?: { readonly sampleRate: number; readonly maxSeconds: number };
}

/**
 * Maximum number of files decoded in parallel. More than one, so that a file that uses all of its
 * time does not block others; few, as each may take much memory.
 */
export const MAX_DECODED_AT_ONCE = 2;

/** The decoded content of a file, in libmtmd's form. Plain data. */
export type DecodedMedia =
  /** Rows of red, green and blue, one byte each. */
  | {
      readonly kind: "image";
      readonly width: number;
      readonly height: number;
      readonly pixels: Uint8Array;
    }
  /** Samples of one channel. */
  | { readonly kind: "audio"; readonly samples: Float32Array };

/** Decodes clients' files, which may crash or block their decoder. */
export interface MediaDecoder {
  /**
   * @param cpuSeconds maximum CPU time for decoding
   * @throws {Error} names the expected and the actual input; if aborted, the signal's reason
   */
  decode(
    file: Uint8Array,
    accepted: AcceptedMedia,
    cpuSeconds: number,
    signal: AbortSignal,
  ): Promise<DecodedMedia>;
  close(): void;
}
