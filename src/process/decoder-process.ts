import assert from "node:assert/strict";
import { closeSync } from "node:fs";
import { formatReason } from "../core/format-reason.js";
import type { AcceptedMedia, DecodedMedia } from "../engine/media/media-decoder.js";
import { loadDecoder } from "../engine/native/companion/native-decoder.js";
import { type Channel, type ChannelListener, forkProcess } from "./process-channel.js";
import { emptyShared, readShared, writeShared } from "./shared-memory.js";

/** Request to decode the file in the shared memory. */
export interface ToDecoder {
  readonly type: "decode";
  readonly sizeBytes: number;
  readonly accepted: AcceptedMedia;
  readonly cpuSeconds: number;
}

/**
 * The decoder's answer: dimensions of the content now in the shared memory, or why the file was
 * refused, as `expected …, got …`.
 */
export type FromDecoder =
  | { readonly type: "image"; readonly width: number; readonly height: number }
  | { readonly type: "audio"; readonly samples: number }
  | { readonly type: "refused"; readonly reason: string };

/** Starts a decoder process and passes it the descriptor of the shared memory. */
export type OpenDecoder = (
  listener: ChannelListener<FromDecoder>,
  sharedDescriptor: number,
) => Channel<ToDecoder>;

/**
 * Limit of the elapsed time of decoding, as a multiple of the CPU time limit. Other processes
 * compute too, and at higher priority. The process is killed when the limit expires.
 */
const ELAPSED_TO_CPU_RATIO = 6;
const SECOND_MS = 1000;
const PIXEL_BYTES = 3;

/** A process that decodes one file after the other, until it crashes or is killed. */
export class DecoderProcess {
  readonly #memory = loadDecoder().createSharedMemory();
  readonly #channel: Channel<ToDecoder>;
  #state: "idle" | "decoding" | "ended" = "idle";
  /** Why the process has exited or is being killed; `undefined` while it runs. */
  #endReason: unknown;
  #onReport: (report: FromDecoder) => void = () => undefined;
  #onEnd: (reason: unknown) => void = () => undefined;

  constructor(open: OpenDecoder = forkDecoder) {
    this.#channel = open(
      {
        onMessage: (report) => this.#onReport(report),
        onEnd: (reason) =>
          this.#noteEnd(
            new Error(
              `expected a decodable file, got one that crashed the decoder process (${reason})`,
            ),
          ),
      },
      this.#memory,
    );
  }

  get isRunning(): boolean {
    return this.#endReason === undefined;
  }

  /**
   * Decodes a file. One call at a time.
   * @param cpuSeconds limit of the CPU time
   * @throws {Error} with a message like `expected …, got …`; the signal's reason when it is aborted
   */
  async decode(
    file: Uint8Array,
    accepted: AcceptedMedia,
    cpuSeconds: number,
    signal: AbortSignal,
  ): Promise<DecodedMedia> {
    assert.equal(this.#state, "idle", "a process decodes one file at a time");
    this.#state = "decoding";
    const kill = () => this.kill(signal.reason);
    const timeoutError = new Error(
      `expected a file that decodes within ${cpuSeconds} s of computing time, got one that takes longer`,
    );
    const timer = setTimeout(
      () => this.kill(timeoutError),
      ELAPSED_TO_CPU_RATIO * cpuSeconds * SECOND_MS,
    );
    signal.addEventListener("abort", kill, { once: true });
    if (signal.aborted) kill();
    try {
      await writeShared(this.#memory, file);
      const report = await this.#requestReport({
        type: "decode",
        sizeBytes: file.length,
        accepted,
        cpuSeconds,
      });
      if (report.type === "refused") throw new Error(report.reason);
      const decoded = await this.#readContent(report, accepted);
      await emptyShared(this.#memory);
      return decoded;
    } catch (error) {
      throw formatReason(error).includes("SIGXCPU") ? timeoutError : error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", kill);
      this.#state = "idle";
      if (!this.isRunning) this.#close();
    }
  }

  /**
   * Kills the process.
   * @param reason error that a decoding in progress fails with
   */
  kill(reason: unknown = new Error("the decoder is not needed any more")): void {
    if (!this.isRunning) return;
    this.#noteEnd(reason);
    this.#channel.kill();
  }

  #requestReport(request: ToDecoder): Promise<FromDecoder> {
    return new Promise((resolve, reject) => {
      this.#onReport = resolve;
      this.#onEnd = reject;
      if (this.isRunning) this.#channel.send(request);
      else reject(this.#endReason);
    });
  }

  #noteEnd(reason: unknown): void {
    if (!this.isRunning) return;
    this.#endReason = reason;
    this.#onEnd(reason);
    if (this.#state === "idle") this.#close();
  }

  /**
   * Closes the shared memory, never while it is in use: another file might be opened under the same
   * descriptor number.
   */
  #close(): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    closeSync(this.#memory);
  }

  /**
   * Reads the decoded content. The report is checked, because a malicious file may control the
   * process.
   */
  async #readContent(
    report: Exclude<FromDecoder, { readonly type: "refused" }>,
    { images, audio }: AcceptedMedia,
  ): Promise<DecodedMedia> {
    if (report.type === "image") {
      const { width, height } = report;
      const maxPixels = images?.maxPixels ?? 0;
      assert(
        width > 0 && height > 0 && width * height <= maxPixels,
        `expected an image of 1 to ${maxPixels} pixels, got ${width} x ${height}`,
      );
      const pixels = await readShared(this.#memory, PIXEL_BYTES * width * height);
      return { kind: "image", width, height, pixels };
    }
    const { samples } = report;
    const { sampleRate = 0, maxSeconds = 0 } = audio ?? {};
    const maxSamples = sampleRate * maxSeconds;
    assert(
      samples > 0 && samples <= maxSamples,
      `expected 1 to ${maxSamples} samples of audio, got ${samples}`,
    );
    const { buffer } = await readShared(this.#memory, Float32Array.BYTES_PER_ELEMENT * samples);
    return { kind: "audio", samples: new Float32Array(buffer) };
  }
}

function forkDecoder(
  listener: ChannelListener<FromDecoder>,
  sharedDescriptor: number,
): Channel<ToDecoder> {
  const program = new URL("./decoder-main.js", import.meta.url);
  return forkProcess(program, listener, { priority: "below-normal", sharedDescriptor });
}
