import { setMaxListeners } from "node:events";
import type { Reservation } from "../core/byte-budget.js";
import type { Caller } from "../core/caller.js";
import { refusalOf } from "../core/errors.js";
import type { GenerationRequest } from "../core/generation-request.js";
import type { MediaFile, MediaKind, MediaPart, MediaSource } from "../core/media.js";
import { mediaOfPrompt, withMediaOf } from "../core/prompt-media.js";
import { sumOf } from "../core/sum-of.js";
import { expectAccepted } from "./accepted-media.js";
import { isInline, MediaFiles, type MediaReading } from "./media-files.js";

/** How much of media a request may bring. */
export interface MediaLimits {
  readonly files: number;
  /** Of one of them. */
  readonly fileBytes: number;
  /** Of all of them. */
  readonly totalBytes: number;
}

/** What ends reading. */
export interface ReadingSignals {
  /** Whose answer it is for, and how long that is wanted. */
  readonly caller: Pick<Caller, "signal" | "onEnd">;
  /** The server ends. */
  readonly end: AbortSignal;
}

/** Copies of a file that are in memory until it is answered: here, and in the engine's process. */
const COPIES = 2;

/** Media that nobody has read yet. */
type UnreadPart = MediaPart & { readonly content: MediaSource };

/** Files by their sources. */
type KnownFiles = Map<string, MediaFile>;

/** Reads the images and the audio of requests, before these wait for anything. */
export class MediaReader {
  readonly #limits: MediaLimits;
  readonly #files: MediaFiles;
  readonly #memory: MediaReading["memory"];
  /**
   * What was read for a caller, while its answer is wanted: to shorten a conversation, its prompt is counted several
   * times, with fewer messages each time.
   */
  readonly #known = new WeakMap<AbortSignal, KnownFiles>();

  constructor(limits: MediaLimits, reading: MediaReading = {}) {
    this.#limits = limits;
    this.#files = new MediaFiles(limits.fileBytes, reading);
    this.#memory = reading.memory;
  }

  /**
   * The same requests, of one client, with files in the place of sources.
   * @param accepted what the model takes
   * @throws {GgufdError} `invalid_request` for what the model does not take, what cannot be read, and too much of it;
   *   what a signal was aborted with
   */
  async read(
    requests: readonly GenerationRequest[],
    accepted: readonly MediaKind[],
    signals: ReadingSignals,
  ): Promise<readonly GenerationRequest[]> {
    const parts = requests.flatMap(({ prompt }) => mediaOfPrompt(prompt));
    expectAccepted(parts, accepted);
    this.#rejectTooMany(parts);
    const files = await this.#filesOf(parts.filter(isUnread), signals);
    const read = (part: MediaPart) => ({ ...part, content: files.get(part) ?? part.content });
    return requests.map((request) => ({ ...request, prompt: withMediaOf(request.prompt, read) }));
  }

  #rejectTooMany(parts: readonly MediaPart[]): void {
    const { files } = this.#limits;
    const excess = parts[files];
    if (excess === undefined) return;
    refuse(excess, `expected at most ${files} images and pieces of audio, got ${parts.length}`);
  }

  async #filesOf(
    parts: readonly UnreadPart[],
    { caller, end }: ReadingSignals,
  ): Promise<ReadonlyMap<MediaPart, MediaFile>> {
    const known = this.#knownTo(caller.signal);
    const done = new AbortController();
    const signal = AbortSignal.any([caller.signal, end, done.signal]);
    signal.throwIfAborted();
    // Every file listens to it; more than ten listeners would be taken for a leak.
    setMaxListeners(0, signal);
    const files = new Map<MediaPart, MediaFile>();
    const read = async (part: UnreadPart) => {
      const key = keyOf(part.content);
      const file = known.get(key) ?? (await this.#files.read(part.content, part.field, signal));
      known.set(key, file);
      files.set(part, file);
      this.#rejectTooLarge(files, part);
    };
    try {
      // Nothing is fetched for a request that is refused for what it has in itself.
      for (const part of parts.filter(({ content }) => isInline(content))) await read(part);
      const named = parts.filter(({ content }) => !isInline(content));
      const fetched = named.filter(({ content }) => !known.has(keyOf(content)));
      const reservation = await this.#reserve(fetched.length, signal);
      if (reservation !== undefined) caller.onEnd(reservation.release);
      await Promise.all(named.map(read));
      reservation?.reduceTo(COPIES * sumOf(fetched, (part) => files.get(part)?.bytes.length ?? 0));
    } finally {
      // Where one of them fails, the others are no longer wanted.
      done.abort();
    }
    return files;
  }

  /** Reserves memory for files whose sizes are not known before they are fetched. */
  async #reserve(fetched: number, signal: AbortSignal): Promise<Reservation | undefined> {
    if (fetched === 0) return undefined;
    const { fileBytes, totalBytes } = this.#limits;
    return this.#memory?.reserve(COPIES * Math.min(fetched * fileBytes, totalBytes), signal);
  }

  #knownTo(caller: AbortSignal): KnownFiles {
    const known = this.#known.get(caller) ?? new Map<string, MediaFile>();
    this.#known.set(caller, known);
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
  throw refusalOf("invalid_request", [{ field, reason }]);
}
