import { createRequire } from "node:module";
import { addonFile } from "./addon-files.js";

/** The interface of the addon in `decoder/decoder.cpp`: llama.cpp's decoders of images and audio, without llama.cpp. */
export interface NativeDecoder {
  /** A hash of the sources. */
  readonly sources: string;
  /**
   * Decodes PNG, JPEG, BMP, or the first frame of a GIF.
   * @throws with what was expected and what came
   */
  decodeImage(
    file: Uint8Array,
    maxPixels: number,
  ): Promise<{ readonly width: number; readonly height: number; readonly pixels: Uint8Array }>;
  /**
   * Decodes WAV, MP3 or FLAC to one channel, at a rate in samples per second.
   * @throws with what was expected and what came
   */
  decodeAudio(file: Uint8Array, sampleRate: number, maxSeconds: number): Promise<Float32Array>;
  /** Has the system end this process with SIGXCPU after so many more seconds of computing, rounded up. */
  limitCpu(seconds: number): void;
  /** Has allocations fail beyond so much memory of this process, on Linux. */
  limitMemory(mebibytes: number): void;
  /** Makes memory that processes can share. @returns a file descriptor of it, which is the caller's to close */
  createSharedMemory(): number;
}

const require = createRequire(import.meta.url);

/** Loads the addon. @throws {Error} there is no file of it for this platform */
export function loadDecoder(): NativeDecoder {
  return require(addonFile("decoder"));
}
