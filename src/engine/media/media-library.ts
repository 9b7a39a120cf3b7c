import assert from "node:assert/strict";
import { createRefusal } from "../../core/errors.js";
import { formatReason } from "../../core/format-reason.js";
import type { GenerationRequest } from "../../core/generation-request.js";
import type { DividedMedia, MediaFile, PlacedMedia } from "../../core/media.js";
import { mediaOfPrompt, replaceMedia } from "../../core/prompt-media.js";
import type { NativeMedia, NativeProjector } from "../native/companion/native-projector.js";
import type { AcceptedMedia, MediaDecoder } from "./media-decoder.js";

/** Runs work that occupies a core, which steps leave free for it. */
export type RunAlongsideSteps = <Result>(work: () => Promise<Result>) => Promise<Result>;

export interface MediaLibraryOptions {
  readonly decoder: Pick<MediaDecoder, "decode">;
  /** Runs the decoding and splitting of files. */
  readonly runAlongside: RunAlongsideSteps;
  readonly projector: Pick<NativeProjector, "divideImage" | "divideAudio">;
  readonly accepted: AcceptedMedia;
  /** Maximum CPU time for decoding a file. */
  readonly cpuSeconds: number;
  /** Maximum number of cells that attend to each other, as they are evaluated in one pass. */
  readonly maxCellsAtOnce: number;
}

/** A file used by requests in the engine, shared by all of them. */
interface HeldFile {
  readonly file: MediaFile;
  /** Requests and generations that use the file. */
  readonly holders: Set<string>;
  /** Tokens and media of the file; `undefined` if not decoded yet, or dropped. */
  parts: Promise<readonly (Int32Array | NativeMedia)[]> | undefined;
  /** Aborted when the last holder is released, so that decoding stops. */
  readonly unwanted: AbortController;
}

/** A file and its location in a request. */
interface FileOfRequest {
  readonly held: HeldFile;
  /** Request field, for errors. */
  readonly field: string;
}

/** Maximum number of remembered layouts, of about a hundred bytes each. */
const MAX_KNOWN = 4096;
/**
 * Maximum number of files whose parts are kept while their requests wait; an image's projector
 * input takes up to 50 MB. Parts of other files are recomputed for encoding.
 */
const MAX_WITH_PARTS = 8;

/**
 * Files of the requests in the engine, and the parts into which the projector divides them. The
 * layout of a file's parts is remembered longer, as an agent resends its screenshots with every
 * turn.
 */
export class MediaLibrary {
  readonly #options: MediaLibraryOptions;
  readonly #files = new Map<string, HeldFile>();
  /** Layouts by file hash, least recently used first. */
  readonly #known = new Map<string, DividedMedia>();
  /** Files whose parts are kept, least recently used first. */
  readonly #withParts = new Set<HeldFile>();

  constructor(options: MediaLibraryOptions) {
    this.#options = options;
  }

  /**
   * Splits a request's files into tokens and media, and holds the files until {@link release}.
   * @throws {GgufdError} `invalid_request` naming the field: a file cannot be decoded, or exceeds a
   *   limit
   */
  async divide(request: GenerationRequest): Promise<GenerationRequest> {
    const files = mediaOfPrompt(request.prompt).flatMap(({ content, field }) =>
      content.type === "file" ? [{ file: content, field }] : [],
    );
    if (files.length === 0) return request;
    const held = files.map(({ file, field }) => ({ held: this.#hold(file, request.id), field }));
    try {
      const divided = new Map<string, DividedMedia>();
      // Files are decoded one after the other to limit memory.
      for (const one of held) divided.set(one.held.file.hash, await this.#divideOne(one));
      const prompt = replaceMedia(request.prompt, (part) => {
        const content = part.content.type === "file" && divided.get(part.content.hash);
        return content ? { ...part, content } : part;
      });
      return { ...request, prompt };
    } catch (error) {
      this.release(request.id);
      throw error;
    }
  }

  /**
   * Holds the media of a generation's prompt until {@link release}.
   * @param media media of a request that holds them
   */
  holdFor(generationId: string, media: readonly PlacedMedia[]): void {
    for (const { hash } of media) this.#fileOf(hash).holders.add(generationId);
  }

  /** Releases all files of a request or generation; unknown ids are ignored. */
  release(holder: string): void {
    for (const [hash, held] of this.#files) {
      if (!held.holders.delete(holder) || held.holders.size > 0) continue;
      this.#files.delete(hash);
      this.#dropParts(held);
      held.unwanted.abort();
    }
  }

  /**
   * Returns the data that the embeddings of a file's part are computed from.
   * @param hash hash of a part of a held file
   */
  async partOf(hash: string): Promise<NativeMedia> {
    const parts = (await this.#partsOf(this.#fileOf(hash))).filter(isMedia);
    const part = parts[indexOf(hash)];
    assert(part !== undefined, `no media ${hash} among the ${parts.length} of its file`);
    return part;
  }

  #hold(file: MediaFile, holder: string): HeldFile {
    const held = this.#files.get(file.hash) ?? {
      file,
      holders: new Set(),
      parts: undefined,
      unwanted: new AbortController(),
    };
    held.holders.add(holder);
    this.#files.set(file.hash, held);
    return held;
  }

  #fileOf(hash: string): HeldFile {
    const held = this.#files.get(fileHashOf(hash));
    assert(held !== undefined, `the media ${hash} are not held`);
    return held;
  }

  async #divideOne({ held, field }: FileOfRequest): Promise<DividedMedia> {
    const { hash } = held.file;
    const described = this.#known.get(hash) ?? (await this.#describe(held, field));
    this.#known.delete(hash);
    this.#known.set(hash, described);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    return described;
  }

  async #describe(held: HeldFile, field: string): Promise<DividedMedia> {
    try {
      const parts = await this.#partsOf(held);
      const media = parts.filter(isMedia);
      this.#refuseTooManyAtOnce(media);
      return {
        type: "divided",
        segments: parts.map((part) =>
          isMedia(part)
            ? {
                type: "media",
                hash: partHash(held.file.hash, media.indexOf(part)),
                cells: part.cells,
                positions: part.positions,
              }
            : { type: "tokens", tokens: [...part] },
        ),
      };
    } catch (error) {
      const reason = formatReason(error);
      throw createRefusal("invalid_request", [{ field, reason }], { cause: error });
    }
  }

  #partsOf(held: HeldFile): Promise<readonly (Int32Array | NativeMedia)[]> {
    held.parts ??= this.#options.runAlongside(() => this.#decodeAndDivide(held));
    this.#withParts.delete(held);
    this.#withParts.add(held);
    const [oldest] = this.#withParts;
    if (this.#withParts.size > MAX_WITH_PARTS && oldest !== undefined) this.#dropParts(oldest);
    return held.parts;
  }

  #dropParts(held: HeldFile): void {
    this.#withParts.delete(held);
    held.parts = undefined;
  }

  async #decodeAndDivide({
    file,
    unwanted,
  }: HeldFile): Promise<readonly (Int32Array | NativeMedia)[]> {
    const { decoder, projector, accepted, cpuSeconds } = this.#options;
    const decoded = await decoder.decode(file.bytes, accepted, cpuSeconds, unwanted.signal);
    unwanted.signal.throwIfAborted();
    return decoded.kind === "audio"
      ? projector.divideAudio(decoded.samples)
      : projector.divideImage(decoded.pixels, decoded.width, decoded.height);
  }

  #refuseTooManyAtOnce(media: readonly NativeMedia[]): void {
    const { maxCellsAtOnce } = this.#options;
    const large = media.find(({ cells, isCausal }) => !isCausal && cells > maxCellsAtOnce);
    if (large === undefined) return;
    throw new Error(
      `expected at most ${maxCellsAtOnce} tokens per image (--batch-size, --ubatch-size), got ${large.cells}`,
    );
  }
}

function isMedia(part: Int32Array | NativeMedia): part is NativeMedia {
  return !(part instanceof Int32Array);
}

function partHash(fileHash: string, index: number): string {
  return `${fileHash}.${index}`;
}

function fileHashOf(hash: string): string {
  return hash.slice(0, hash.indexOf("."));
}

function indexOf(hash: string): number {
  return Number(hash.slice(hash.indexOf(".") + 1));
}
