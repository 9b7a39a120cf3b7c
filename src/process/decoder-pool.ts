import PQueue from "p-queue";
import {
  type AcceptedMedia,
  type DecodedMedia,
  MAX_DECODED_AT_ONCE,
  type MediaDecoder,
} from "../engine/media/media-decoder.js";
import { DecoderProcess } from "./decoder-process.js";

/**
 * How long an idle process is kept, in milliseconds. A process takes some 60 MB; its start takes a
 * tenth of a second.
 */
const IDLE_TIMEOUT_MS = 60_000;

/**
 * Decodes files in separate processes, which start on demand, are kept for a while, and are
 * replaced when they exit.
 */
export class DecoderPool implements MediaDecoder {
  readonly #open: () => DecoderProcess;
  readonly #queue = new PQueue({ concurrency: MAX_DECODED_AT_ONCE });
  /** Idle processes with their expiry timers, the most recently used one last. */
  readonly #idleDecoders = new Map<DecoderProcess, NodeJS.Timeout>();
  readonly #closeController = new AbortController();

  constructor(open: () => DecoderProcess = () => new DecoderProcess()) {
    this.#open = open;
  }

  decode(
    file: Uint8Array,
    accepted: AcceptedMedia,
    cpuSeconds: number,
    signal: AbortSignal,
  ): Promise<DecodedMedia> {
    const cancelSignal = AbortSignal.any([signal, this.#closeController.signal]);
    // Aborting a running task would start the next one although its process is still running.
    const queueController = new AbortController();
    const leave = () => queueController.abort(cancelSignal.reason);
    cancelSignal.addEventListener("abort", leave, { once: true });
    if (cancelSignal.aborted) leave();
    return this.#queue.add(
      async () => {
        cancelSignal.removeEventListener("abort", leave);
        const decoder = this.#takeIdle() ?? this.#open();
        try {
          return await decoder.decode(file, accepted, cpuSeconds, cancelSignal);
        } finally {
          this.#keep(decoder);
        }
      },
      { signal: queueController.signal },
    );
  }

  close(): void {
    this.#closeController.abort(new Error("the model is being unloaded"));
    for (const decoder of this.#idleDecoders.keys()) this.#end(decoder);
  }

  #takeIdle(): DecoderProcess | undefined {
    const [decoder] = [...this.#idleDecoders.keys()].filter(({ isRunning }) => isRunning).slice(-1);
    if (decoder !== undefined) this.#forget(decoder);
    return decoder;
  }

  #keep(decoder: DecoderProcess): void {
    if (!decoder.isRunning) return;
    if (this.#closeController.signal.aborted) decoder.kill();
    else
      this.#idleDecoders.set(
        decoder,
        setTimeout(() => this.#end(decoder), IDLE_TIMEOUT_MS).unref(),
      );
  }

  #end(decoder: DecoderProcess): void {
    this.#forget(decoder);
    decoder.kill();
  }

  #forget(decoder: DecoderProcess): void {
    clearTimeout(this.#idleDecoders.get(decoder));
    this.#idleDecoders.delete(decoder);
  }
}
