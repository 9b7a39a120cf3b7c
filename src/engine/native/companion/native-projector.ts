import { constants } from "node:os";
import { addonFile } from "./addon-files.js";
import type { NativeCompanion } from "./native-companion.js";

/** The interface of the addon in `media/projector.cpp`. */
export interface NativeMediaAddon {
  /** A version of node-llama-cpp. */
  readonly builtFor: string;
  /** A hash of the sources. */
  readonly sources: string;
  /**
   * @param model what {@link NativeCompanion.modelHandle} has given; it must outlive the projector
   * @param threads that encode
   * @throws llama.cpp's reason why the file is no projector of this model
   */
  openProjector(
    model: unknown,
    path: string,
    threads: number,
    usesGpu: boolean,
  ): Promise<NativeProjector>;
}

/** What turns files into the cells of a model's prompt. */
export interface NativeProjector {
  readonly sees: boolean;
  /** Of audio, in samples per second; absent: the model does not hear. */
  readonly sampleRate?: number;
  /** Floats of one cell. */
  readonly embeddingWidth: number;
  /**
   * Divides an image into tokens and media, on a thread that lets steps go first.
   * @param pixels rows of red, green and blue; not to be changed meanwhile
   * @throws llama.cpp's reason, also where one of its assertions fails
   */
  divideImage(
    pixels: Uint8Array,
    width: number,
    height: number,
  ): Promise<readonly (Int32Array | NativeMedia)[]>;
  /** The same of audio, at {@link sampleRate}. */
  divideAudio(samples: Float32Array): Promise<readonly (Int32Array | NativeMedia)[]>;
  /**
   * Computes the rows of all cells, one after the other. It waits until it is let: see {@link let}.
   * @throws llama.cpp's reason, or that it was given up
   */
  encode(media: NativeMedia): Promise<Float32Array>;
  /** Lets what is being encoded go on for so long. Resolves when it has stopped behind that, or has ended. */
  let(milliseconds: number): Promise<void>;
  /** What is being encoded is not wanted any more. */
  giveUp(): void;
  /** Frees it, when nothing that it has made is used any more. */
  close(): void;
}

/** Cells of an image or a piece of audio, with what their embeddings are computed from. */
export interface NativeMedia {
  readonly kind: "image" | "audio";
  readonly cells: number;
  /** By how much they advance the position of what follows. */
  readonly positions: number;
  /** Whether a cell sees those before it alone. */
  readonly isCausal: boolean;
  /** The first three axes of each cell's position, from that of the first one on; absent: positions are numbers. */
  readonly grid?: Int32Array;
}

let loaded: NativeMediaAddon | undefined;

/**
 * Loads the addon, once for a process.
 * @param native attached: there is such a file for each platform that has a companion
 * @throws {Error} it cannot be loaded
 */
export function loadMediaAddon(native: NativeCompanion): NativeMediaAddon {
  loaded ??= openAddon(native);
  return loaded;
}

function openAddon(native: NativeCompanion): NativeMediaAddon {
  native.shareLibraries();
  const opened = { exports: {} as NativeMediaAddon };
  // All functions are looked up at once: one that is missing would end the process when it is called.
  process.dlopen(opened, addonFile("media"), constants.dlopen.RTLD_NOW);
  const { builtFor } = opened.exports;
  if (builtFor === native.facts.builtFor) return opened.exports;
  throw new Error(`it was built for ${builtFor}, this is ${native.facts.builtFor}`);
}
