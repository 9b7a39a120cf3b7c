import { setMaxListeners } from "node:events";
import type { Reservation } from "../core/byte-budget.js";
import type { Caller } from "../core/caller.js";
import { createRefusal } from "../core/errors.js";
import type { GenerationRequest } from "../core/generation-request.js";
import type { MediaFile, MediaKind, MediaPart, MediaSource } from "../core/media.js";
import { mediaOfPrompt, replaceMedia } from "../core/prompt-media.js";
import { sumBy } from "../core/sum-by.js";
import { expectAccepted } from "./accepted-media.js";
import { isInline, MediaFiles, type MediaReading } from "./media-files.js";

/** Limits of the media of a request. */
export interface MediaLimits {
  readonly files: number;
  /** Maximum size of one file. */
  readonly fileBytes: number;
  /** Maximum size of all files together. */
  readonly totalBytes: number;
}

/** Signals that abort reading. */
export interface ReadingSignals {
  /** Caller of the request, with the signal that aborts when the answer is no longer wanted. */
  readonly caller: Pick<Caller, "signal" | "onEnd">;
  /** Aborted when the server shuts down. */
  readonly end: AbortSignal;
}

/**
 * Copies of a file in memory until the request is answered: one here, one in the engine's process.
 */
const COPIES = 2;

/** Media that have not been read yet. */
type UnreadPart = MediaPart & { readonly content: MediaSource };

/** Files by their sources. */
type KnownFiles = Map<string, MediaFile>;

/** Reads the images and audio of requests, before the requests are queued. */
export class MediaReader {
  readonly #limits: MediaLimits;
  readonly #files: MediaFiles;
  readonly #memory: MediaReading["memory"];
  /**
   * Files read for each caller, kept while its answer is wanted: to shorten a conversation, its
   * prompt is counted several times, each time with fewer messages.
   */
  readonly #knownFilesByCaller = new WeakMap<AbortSignal, KnownFiles>();

  constructor(limits: MediaLimits, reading: MediaReading = {}) {
    this.#limits = limits;
    this.#files = new MediaFiles(limits.fileBytes, reading);
    this.#memory = reading.memory;
  }

  /**
   * Reads the media of one client's requests.
   * @param accepted kinds of media that the model accepts
   * @returns the requests with files in place of sources
   * @throws {GgufdError} `invalid_request` for media that the model does not accept, that cannot be
   *   read, or that exceed the limits; a signal's reason when it is aborted
   */
  async read(
    requests: readonly GenerationRequest[],
    accepted: readonly MediaKind[],
    signals: ReadingSignals,
  ): Promise<readonly GenerationRequest[]> {
    const parts = requests.flatMap(({ prompt }) => mediaOfPrompt(prompt));
    expectAccepted(parts, accepted);
    this.#rejectTooMany(parts);
    const files = await this.#readFiles(parts.filter(isUnread), signals);
    const read = (part: MediaPart) => ({ ...part, content: files.get(part) ?? part.content });
    return requests.map((request) => ({ ...request, prompt: replaceMedia(request.prompt, read) }));
  }

  #rejectTooMany(parts: readonly MediaPart[]): void {
    const { files } = this.#limits;
    const excessPart = parts[files];
    if (excessPart === undefined) return;
    refuse(excessPart, `expected at most ${files} images and pieces of audio, got ${parts.length}`);
  }

  async #readFiles(
    parts: readonly UnreadPart[],
    { caller, end }: ReadingSignals,
  ): Promise<ReadonlyMap<MediaPart, MediaFile>> {
    const knownFiles = this.#getKnownFiles(caller.signal);
    const doneController = new AbortController();
    const signal = AbortSignal.any([caller.signal, end, doneController.signal]);
    signal.throwIfAborted();
    // Every file adds a listener; Node.js warns of a leak above ten.
    setMaxListeners(0, signal);
    const files = new Map<MediaPart, MediaFile>();
    const read = async (part: UnreadPart) => {
      const key = keyOf(part.content);
      const file =
        knownFiles.get(key) ?? (await this.#files.read(part.content, part.field, signal));
      knownFiles.set(key, file);
      files.set(part, file);
      this.#rejectTooLarge(files, part);
    };
    try {
      // Read embedded files first, so that nothing is fetched for a request that is rejected
      // because of them.
      for (const part of parts.filter(({ content }) => isInline(content))) await read(part);
      const urlParts = parts.filter(({ content }) => !isInline(content));
      const fetchedParts = urlParts.filter(({ content }) => !knownFiles.has(keyOf(content)));
      const reservation = await this.#reserve(fetchedParts.length, signal);
      if (reservation !== undefined) caller.onEnd(reservation.release);
      await Promise.all(urlParts.map(read));
      reservation?.reduceTo(
        COPIES * sumBy(fetchedParts, (part) => files.get(part)?.bytes.length ?? 0),
      );
    } finally {
      // If one file fails, the other ones are no longer needed.
      doneController.abort();
    }
    return files;
  }

  /** Reserves memory for files whose sizes are unknown until they are fetched. */
  async #reserve(fetchCount: number, signal: AbortSignal): Promise<Reservation | undefined> {
    if (fetchCount === 0) return undefined;
    const { fileBytes, totalBytes } = this.#limits;
    return this.#memory?.reserve(COPIES * Math.min(fetchCount * fileBytes, totalBytes), signal);
  }

  #getKnownFiles(caller: AbortSignal): KnownFiles {
    const known = this.#knownFilesByCaller.get(caller) ?? new Map<string, MediaFile>();
    this.#knownFilesByCaller.set(caller, known);
    return known;
  }

  #rejectTooLarge(files: ReadonlyMap<MediaPart, MediaFile>, last: MediaPart): void {
    const { totalBytes } = this.#limits;
    const bytes = [...files.values()].reduce((sum, file) => sum + file.bytes.length, 0);
    if (bytes <= totalBytes) return;
    refuse(last, `expected at most ${totalBytes} bytes of images and audio, got ${bytes} so far`);
  }
}

function isUnread(part: MediaPart): part is UnreadPart {
  const { type } = part.content;
  return type === "url" || type === "base64";
}

function keyOf(source: MediaSource): string {
  return source.type === "url" ? source.url : source.text;
}

function refuse({ field }: MediaPart, reason: string): never {
  throw createRefusal("invalid_request", [{ field, reason }]);
}
