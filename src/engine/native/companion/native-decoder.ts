import { createRequire } from "node:module";
import { findAddonFile } from "./addon-files.js";

/**
 * The interface of the addon in `decoder/decoder.cpp`: llama.cpp's decoders of images and audio,
 * without llama.cpp.
 */
export interface NativeDecoder {
  /** Hash of the sources. */
  readonly sources: string;
  /**
   * Decodes PNG, JPEG, BMP, or the first frame of a GIF.
   * @throws names the expected and the actual input
   */
  decodeImage(
    file: Uint8Array,
    maxPixels: number,
  ): Promise<{ readonly width: number; readonly height: number; readonly pixels: Uint8Array }>;
  /**
   * Decodes WAV, MP3 or FLAC to one channel, at a rate in samples per second.
   * @throws names the expected and the actual input
   */
  decodeAudio(file: Uint8Array, sampleRate: number, maxSeconds: number): Promise<Float32Array>;
  /**
   * Limits the CPU time of this process to this many more seconds, rounded up; the system then ends
   * it with SIGXCPU.
   */
  limitCpu(seconds: number): void;
  /** Limits the memory of this process, on Linux; allocations beyond it fail. */
  limitMemory(mebibytes: number): void;
  /**
   * Creates memory that processes can share.
   * @returns its file descriptor, which the caller must close
   */
  createSharedMemory(): number;
}

const require = createRequire(import.meta.url);

/**
 * Loads the addon.
 * @throws {Error} there is no addon file for this platform
 */
export function loadDecoder(): NativeDecoder {
  return require(findAddonFile("decoder"));
}
