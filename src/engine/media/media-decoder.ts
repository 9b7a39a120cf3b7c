/** What a projector takes, and how much of it: limits of one file. Plain data. */
export interface AcceptedMedia {
  /** Absent: no images. */
  readonly images?: { readonly maxPixels: number };
  /** In samples per second. Absent: no audio. */
  readonly audio?: { readonly sampleRate: number; readonly maxSeconds: number };
}

/** Files that are decoded at once: one that takes all of its time holds up no other, and each may take much memory. */
export const MAX_DECODED_AT_ONCE = 2;

/** The content of a file, as libmtmd takes it. Plain data. */
export type DecodedMedia =
  /** Rows of red, green and blue, one byte each. */
  | {
      readonly kind: "image";
      readonly width: number;
      readonly height: number;
      readonly pixels: Uint8Array;
    }
  /** One channel. */
  | { readonly kind: "audio"; readonly samples: Float32Array };

/** Decodes files of clients, which may be made to crash or to occupy their decoder. */
export interface MediaDecoder {
  /**
   * @param cpuSeconds that decoding may take
   * @throws {Error} with what was expected and what came; what the signal was aborted with
   */
  decode(
    file: Uint8Array,
    accepted: AcceptedMedia,
    cpuSeconds: number,
    signal: AbortSignal,
  ): Promise<DecodedMedia>;
  close(): void;
}
