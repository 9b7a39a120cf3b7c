import { constants } from "node:os";
import { findAddonFile } from "./addon-files.js";
import type { NativeCompanion } from "./native-companion.js";

/** The interface of the addon in `media/projector.cpp`. */
export interface NativeMediaAddon {
  /** The version of node-llama-cpp. */
  readonly builtFor: string;
  /** Hash of the sources. */
  readonly sources: string;
  /**
   * @param model a handle from {@link NativeCompanion.modelHandle}; must outlive the projector
   * @param threads number of threads that encode
   * @throws llama.cpp's reason why the file is not a projector of this model
   */
  openProjector(
    model: unknown,
    path: string,
    threads: number,
    usesGpu: boolean,
  ): Promise<NativeProjector>;
}

/** Converts files into cells of a model's prompt. */
export interface NativeProjector {
  readonly sees: boolean;
  /** Audio sample rate, in samples per second; absent if the model does not accept audio. */
  readonly sampleRate?: number;
  /** Number of floats in a cell. */
  readonly embeddingWidth: number;
  /**
   * Divides an image into tokens and media, on a thread that yields to steps.
   * @param pixels rows of red, green and blue; must not change meanwhile
   * @throws llama.cpp's reason, also if one of its assertions fails
   */
  divideImage(
    pixels: Uint8Array,
    width: number,
    height: number,
  ): Promise<readonly (Int32Array | NativeMedia)[]>;
  /** Divides audio at {@link sampleRate} into tokens and media. */
  divideAudio(samples: Float32Array): Promise<readonly (Int32Array | NativeMedia)[]>;
  /**
   * Computes the rows of all cells, concatenated. Proceeds only while {@link let} allows it.
   * @throws llama.cpp's reason, or that encoding was cancelled
   */
  encode(media: NativeMedia): Promise<Float32Array>;
  /**
   * Lets encoding proceed for a time. Resolves when it has paused after that time, or has ended.
   */
  let(milliseconds: number): Promise<void>;
  /** Cancels the encoding in progress. */
  giveUp(): void;
  /** Frees the projector once none of its results are in use. */
  close(): void;
}

/** Cells of an image or a piece of audio, with the data that their embeddings are computed from. */
export interface NativeMedia {
  readonly kind: "image" | "audio";
  readonly cells: number;
  /** Number of positions that the media advance the text by. */
  readonly positions: number;
  /** Whether a cell attends only to cells before it. */
  readonly isCausal: boolean;
  /**
   * The first three axes of each cell's position, relative to the first cell; absent if positions
   * are plain numbers.
   */
  readonly grid?: Int32Array;
}

let loaded: NativeMediaAddon | undefined;

/**
 * Loads the addon, once per process.
 * @param native an attached companion; every platform that has one also has this addon
 * @throws {Error} the addon cannot be loaded
 */
export function loadMediaAddon(native: NativeCompanion): NativeMediaAddon {
  loaded ??= openAddon(native);
  return loaded;
}

function openAddon(native: NativeCompanion): NativeMediaAddon {
  native.shareLibraries();
  const opened = { exports: {} as NativeMediaAddon };
  // Resolves all functions at once: a missing one would otherwise end the process when called.
  process.dlopen(opened, findAddonFile("media"), constants.dlopen.RTLD_NOW);
  const { builtFor } = opened.exports;
  if (builtFor === native.facts.builtFor) return opened.exports;
  throw new Error(`it was built for ${builtFor}, but ${native.facts.builtFor} is installed`);
}
