import assert from "node:assert/strict";
import { createRefusal } from "../../core/errors.js";
import { formatReason } from "../../core/format-reason.js";
import type { GenerationRequest } from "../../core/generation-request.js";
import type { ChunkedMedia, MediaAmount, MediaFile, PlacedMedia } from "../../core/media.js";
import { mediaOfPrompt, replaceMedia } from "../../core/prompt-media.js";
import type { NativeMedia, NativeProjector } from "../native/companion/native-projector.js";
import type { AcceptedMedia, DecodedMedia, MediaDecoder } from "./media-decoder.js";

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

/** A decoded file, divided by the projector. */
interface DividedFile {
  readonly parts: readonly (Int32Array | NativeMedia)[];
  readonly amount: MediaAmount;
}

/** A file used by requests in the engine, shared by all of them. */
interface ActiveFile {
  readonly file: MediaFile;
  /** Requests and generations that use the file. */
  readonly holders: Set<string>;
  /** `undefined` if not decoded yet, or dropped. */
  divided: Promise<DividedFile> | undefined;
  /** Aborted when the last holder is released, so that decoding stops. */
  readonly abortController: AbortController;
}

/** A file and its location in a request. */
interface FileOfRequest {
  readonly held: ActiveFile;
  /** Request field, for errors. */
  readonly field: string;
}

/** Maximum number of remembered layouts, of about a hundred bytes each. */
const MAX_LAYOUTS = 4096;
/**
 * Maximum number of files whose parts are kept while their requests wait; an image's projector
 * input takes up to 50 MB. Parts of other files are recomputed for encoding.
 */
const MAX_FILES_WITH_PARTS = 8;

/**
 * Files of the requests in the engine, and the parts into which the projector divides them. The
 * layout of a file's parts is remembered longer, as an agent resends its screenshots with every
 * turn.
 */
export class MediaLibrary {
  readonly #options: MediaLibraryOptions;
  readonly #files = new Map<string, ActiveFile>();
  /** Layouts by file hash, least recently used first. */
  readonly #knownLayouts = new Map<string, ChunkedMedia>();
  /** Files whose parts are kept, least recently used first. */
  readonly #filesWithParts = new Set<ActiveFile>();

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
      const layoutsByHash = new Map<string, ChunkedMedia>();
      // Files are decoded one after the other to limit memory.
      for (const one of held) layoutsByHash.set(one.held.file.hash, await this.#findLayout(one));
      const prompt = replaceMedia(request.prompt, (part) => {
        const content = part.content.type === "file" && layoutsByHash.get(part.content.hash);
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
  holdForGeneration(generationId: string, media: readonly PlacedMedia[]): void {
    for (const { hash } of media) this.#fileOf(hash).holders.add(generationId);
  }

  /** Releases all files of a request or generation; unknown ids are ignored. */
  release(holder: string): void {
    for (const [hash, held] of this.#files) {
      if (!held.holders.delete(holder) || held.holders.size > 0) continue;
      this.#files.delete(hash);
      this.#dropParts(held);
      held.abortController.abort();
    }
  }

  /**
   * Returns the data that the embeddings of a file's part are computed from.
   * @param hash hash of a part of a held file
   */
  async partOf(hash: string): Promise<NativeMedia> {
    const { parts } = await this.#divideOnce(this.#fileOf(hash));
    const media = parts.filter(isMedia);
    const part = media[parsePartIndex(hash)];
    assert(part !== undefined, `no media ${hash} among the ${media.length} of its file`);
    return part;
  }

  #hold(file: MediaFile, holder: string): ActiveFile {
    const held = this.#files.get(file.hash) ?? {
      file,
      holders: new Set(),
      divided: undefined,
      abortController: new AbortController(),
    };
    held.holders.add(holder);
    this.#files.set(file.hash, held);
    return held;
  }

  #fileOf(hash: string): ActiveFile {
    const held = this.#files.get(parseFileHash(hash));
    assert(held !== undefined, `the media ${hash} are not held`);
    return held;
  }

  async #findLayout({ held, field }: FileOfRequest): Promise<ChunkedMedia> {
    const { hash } = held.file;
    const mediaLayout = this.#knownLayouts.get(hash) ?? (await this.#describeLayout(held, field));
    this.#knownLayouts.delete(hash);
    this.#knownLayouts.set(hash, mediaLayout);
    const [oldest] = this.#knownLayouts.keys();
    if (this.#knownLayouts.size > MAX_LAYOUTS && oldest !== undefined)
      this.#knownLayouts.delete(oldest);
    return mediaLayout;
  }

  async #describeLayout(held: ActiveFile, field: string): Promise<ChunkedMedia> {
    try {
      const { parts, amount } = await this.#divideOnce(held);
      const media = parts.filter(isMedia);
      this.#assertEvaluable(media);
      return {
        type: "divided",
        amount,
        segments: parts.map((part) =>
          isMedia(part)
            ? {
                type: "media",
                hash: buildPartHash(held.file.hash, media.indexOf(part)),
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

  #divideOnce(held: ActiveFile): Promise<DividedFile> {
    held.divided ??= this.#options.runAlongside(() => this.#decodeAndDivide(held));
    this.#filesWithParts.delete(held);
    this.#filesWithParts.add(held);
    const [oldest] = this.#filesWithParts;
    if (this.#filesWithParts.size > MAX_FILES_WITH_PARTS && oldest !== undefined)
      this.#dropParts(oldest);
    return held.divided;
  }

  #dropParts(held: ActiveFile): void {
    this.#filesWithParts.delete(held);
    held.divided = undefined;
  }

  async #decodeAndDivide({ file, abortController }: ActiveFile): Promise<DividedFile> {
    const { decoder, projector, accepted, cpuSeconds } = this.#options;
    const decoded = await decoder.decode(file.bytes, accepted, cpuSeconds, abortController.signal);
    abortController.signal.throwIfAborted();
    const parts = await (decoded.kind === "audio"
      ? projector.divideAudio(decoded.samples)
      : projector.divideImage(decoded.pixels, decoded.width, decoded.height));
    return { parts, amount: measure(decoded, accepted) };
  }

  #assertEvaluable(media: readonly NativeMedia[]): void {
    const { maxCellsAtOnce } = this.#options;
    const largeMedia = media.find(({ cells, isCausal }) => !isCausal && cells > maxCellsAtOnce);
    if (largeMedia === undefined) return;
    throw new Error(
      `expected at most ${maxCellsAtOnce} tokens per image (--batch-size, --ubatch-size), got ${largeMedia.cells}`,
    );
  }
}

/** @param accepted has the sample rate of decoded audio */
function measure(decoded: DecodedMedia, { audio }: AcceptedMedia): MediaAmount {
  if (decoded.kind === "image") return { images: 1, audioSeconds: 0 };
  assert(audio !== undefined, "expected audio only where it is accepted");
  return { images: 0, audioSeconds: decoded.samples.length / audio.sampleRate };
}

function isMedia(part: Int32Array | NativeMedia): part is NativeMedia {
  return !(part instanceof Int32Array);
}

function buildPartHash(fileHash: string, index: number): string {
  return `${fileHash}.${index}`;
}

function parseFileHash(hash: string): string {
  return hash.slice(0, hash.indexOf("."));
}

function parsePartIndex(hash: string): number {
  return Number(hash.slice(hash.indexOf(".") + 1));
}
