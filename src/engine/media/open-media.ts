import type { MediaKind } from "../../core/media.js";
import type { NativeProjector } from "../native/companion/native-projector.js";
import type { AcceptedMedia, MediaDecoder } from "./media-decoder.js";
import { MediaEncoder } from "./media-encoder.js";
import { type BesideSteps, MediaLibrary } from "./media-library.js";

export interface OpenMediaOptions {
  readonly projector: NativeProjector;
  readonly decoder: MediaDecoder;
  /** See {@link MediaLibrary}. */
  readonly beside: BesideSteps;
  /** Of an image. */
  readonly maxPixels: number;
  /** Of audio. */
  readonly maxSeconds: number;
  /** Of computing, for decoding a file. */
  readonly decodeSeconds: number;
  /** See {@link MediaLibrary}. */
  readonly maxCellsAtOnce: number;
  /** Of embeddings that are kept beyond their requests. */
  readonly cacheMiB: number;
}

/** What gives a model images and audio. */
export interface OpenedMedia {
  readonly kinds: readonly MediaKind[];
  readonly library: MediaLibrary;
  readonly encoder: MediaEncoder;
  /** To be called before the model is freed. */
  close(): void;
}

const MIB_BYTES = 2 ** 20;

/** A model's projector, with the files that it divides and the embeddings that it makes of them. */
export function openMedia(options: OpenMediaOptions): OpenedMedia {
  const { projector, decoder, beside, decodeSeconds, maxCellsAtOnce, cacheMiB } = options;
  const library = new MediaLibrary({
    decoder,
    beside,
    projector,
    maxCellsAtOnce,
    accepted: acceptedBy(projector, options),
    cpuSeconds: decodeSeconds,
  });
  const encoder = new MediaEncoder({
    projector,
    partOf: (hash) => library.partOf(hash),
    maxBytes: cacheMiB * MIB_BYTES,
  });
  return {
    kinds: kindsOf(projector),
    library,
    encoder,
    close() {
      decoder.close();
      projector.close();
    },
  };
}

function acceptedBy(
  { sees, sampleRate }: NativeProjector,
  { maxPixels, maxSeconds }: Pick<OpenMediaOptions, "maxPixels" | "maxSeconds">,
): AcceptedMedia {
  return {
    ...(sees && { images: { maxPixels } }),
    ...(sampleRate !== undefined && { audio: { sampleRate, maxSeconds } }),
  };
}

function kindsOf({ sees, sampleRate }: NativeProjector): readonly MediaKind[] {
  const hears = sampleRate !== undefined;
  return [...(sees ? (["image"] as const) : []), ...(hears ? (["audio"] as const) : [])];
}
