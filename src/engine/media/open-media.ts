import type { MediaKind } from "../../core/media.js";
import type { NativeProjector } from "../native/companion/native-projector.js";
import { openProjector, type ProjectorOptions } from "../native/open-projector.js";
import type { AcceptedMedia, MediaDecoder } from "./media-decoder.js";
import { MediaEncoder } from "./media-encoder.js";
import { MediaLibrary, type RunAlongsideSteps } from "./media-library.js";

export interface OpenMediaOptions extends ProjectorOptions {
  readonly decoder: MediaDecoder;
  /** See {@link MediaLibrary}. */
  readonly runAlongside: RunAlongsideSteps;
  /** Maximum pixels of an image. */
  readonly maxPixels: number;
  /** Maximum duration of audio, in seconds. */
  readonly maxSeconds: number;
  /** Maximum CPU time for decoding a file, in seconds. */
  readonly decodeSeconds: number;
  /** See {@link MediaLibrary}. */
  readonly maxCellsAtOnce: number;
  /** Maximum size of embeddings cached after their requests have ended, in MiB. */
  readonly cacheMiB: number;
}

/** Components for a model's image and audio input. */
export interface OpenedMedia {
  readonly kinds: readonly MediaKind[];
  readonly library: MediaLibrary;
  readonly encoder: MediaEncoder;
  /** Must be called before the model is freed. */
  close(): void;
}

const MIB_BYTES = 2 ** 20;

/**
 * Opens the projector of a model, and creates its file library and its encoder.
 * @throws {StartupError} names the projector's file and the reason
 */
export async function openMedia(options: OpenMediaOptions): Promise<OpenedMedia> {
  const { decoder, runAlongside, decodeSeconds, maxCellsAtOnce, cacheMiB } = options;
  const projector = await openProjector(options);
  const library = new MediaLibrary({
    decoder,
    runAlongside,
    projector,
    maxCellsAtOnce,
    accepted: buildAcceptedMedia(projector, options),
    cpuSeconds: decodeSeconds,
  });
  const encoder = new MediaEncoder({
    projector,
    partOf: (hash) => library.partOf(hash),
    maxBytes: cacheMiB * MIB_BYTES,
  });
  return {
    kinds: listKinds(projector),
    library,
    encoder,
    close() {
      decoder.close();
      projector.close();
    },
  };
}

function buildAcceptedMedia(
  { sees, sampleRate }: NativeProjector,
  { maxPixels, maxSeconds }: Pick<OpenMediaOptions, "maxPixels" | "maxSeconds">,
): AcceptedMedia {
  return {
    ...(sees && { images: { maxPixels } }),
    ...(sampleRate !== undefined && { audio: { sampleRate, maxSeconds } }),
  };
}

function listKinds({ sees, sampleRate }: NativeProjector): readonly MediaKind[] {
  const hears = sampleRate !== undefined;
  return [...(sees ? (["image"] as const) : []), ...(hears ? (["audio"] as const) : [])];
}
