import type { MediaKind } from "../../core/media.js";
import type { NativeProjector } from "../native/companion/native-projector.js";
import { MediaEncoder } from "./media-encoder.js";
import { MediaLibrary, type MediaLimits } from "./media-library.js";

export interface OpenMediaOptions extends MediaLimits {
  readonly projector: NativeProjector;
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
  const { projector, maxPixels, maxSeconds, maxCellsAtOnce, cacheMiB } = options;
  const limits = { maxPixels, maxSeconds };
  const library = new MediaLibrary({ projector, limits, maxCellsAtOnce });
  const encoder = new MediaEncoder({
    projector,
    partOf: (hash) => library.partOf(hash),
    maxBytes: cacheMiB * MIB_BYTES,
  });
  return {
    kinds: kindsOf(projector),
    library,
    encoder,
    close: () => projector.close(),
  };
}

function kindsOf({ sees, hears }: NativeProjector): readonly MediaKind[] {
  return [...(sees ? (["image"] as const) : []), ...(hears ? (["audio"] as const) : [])];
}
