import assert from "node:assert/strict";
import { refusalOf } from "../../core/errors.js";
import type { GenerationRequest } from "../../core/generation-request.js";
import type { DividedMedia, MediaFile, PlacedMedia } from "../../core/media.js";
import { mediaOfPrompt, withMediaOf } from "../../core/prompt-media.js";
import { reasonOf } from "../../core/reason-of.js";
import type { NativeMedia, NativeProjector } from "../native/companion/native-projector.js";
import type { AcceptedMedia, MediaDecoder } from "./media-decoder.js";

/** Does work that takes a core, which steps leave to it. */
export type BesideSteps = <Result>(work: () => Promise<Result>) => Promise<Result>;

export interface MediaLibraryOptions {
  readonly decoder: Pick<MediaDecoder, "decode">;
  /** For decoding and dividing files. */
  readonly beside: BesideSteps;
  readonly projector: Pick<NativeProjector, "divideImage" | "divideAudio">;
  readonly accepted: AcceptedMedia;
  /** Of decoding a file. */
  readonly cpuSeconds: number;
  /** Cells that may see each other, at most: they are evaluated in one pass. */
  readonly maxCellsAtOnce: number;
}

/** A file that requests in the engine have, once for all of them. */
interface HeldFile {
  readonly file: MediaFile;
  /** Requests and generations that hold it. */
  readonly holders: Set<string>;
  /** What it is divided into; absent: it has not been decoded, or its parts were dropped. */
  parts: Promise<readonly (Int32Array | NativeMedia)[]> | undefined;
  /** Aborted when the last of the holders has gone: it need not be decoded then. */
  readonly unwanted: AbortController;
}

/** A file of a request, and where it stands in it. */
interface FileOfRequest {
  readonly held: HeldFile;
  /** For errors. */
  readonly field: string;
}

/** Descriptions that are remembered: a hundred of bytes each. */
const MAX_KNOWN = 4096;
/**
 * Files whose parts are kept while their requests wait: an image takes up to 50 MB as the projector gets it. Those of other
 * files are made again when they are encoded.
 */
const MAX_WITH_PARTS = 8;

/**
 * The files of the requests in the engine, and what the projector divides them into. What a file comes to is remembered
 * beyond that: an agent sends its screenshots with every turn.
 */
export class MediaLibrary {
  readonly #options: MediaLibraryOptions;
  readonly #files = new Map<string, HeldFile>();
  /** The one that was used last is the last one. */
  readonly #known = new Map<string, DividedMedia>();
  /** The same of files that have their parts. */
  readonly #withParts = new Set<HeldFile>();

  constructor(options: MediaLibraryOptions) {
    this.#options = options;
  }

  /**
   * A request with its files divided, which are held for it until {@link release}.
   * @throws {GgufdError} `invalid_request` naming the field: a file cannot be decoded, or is beyond a limit
   */
  async divide(request: GenerationRequest): Promise<GenerationRequest> {
    const files = mediaOfPrompt(request.prompt).flatMap(({ content, field }) =>
      content.type === "file" ? [{ file: content, field }] : [],
    );
    if (files.length === 0) return request;
    const held = files.map(({ file, field }) => ({ held: this.#hold(file, request.id), field }));
    try {
      const divided = new Map<string, DividedMedia>();
      // One after the other: decoding takes memory.
      for (const one of held) divided.set(one.held.file.hash, await this.#divideOne(one));
      const prompt = withMediaOf(request.prompt, (part) => {
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
   * Holds what a generation's prompt is computed from, until {@link release}.
   * @param media of the prompt of a request that holds them
   */
  holdFor(generationId: string, media: readonly PlacedMedia[]): void {
    for (const { hash } of media) this.#fileOf(hash).holders.add(generationId);
  }

  /** A request or a generation has ended; unknown ids are ignored. */
  release(holder: string): void {
    for (const [hash, held] of this.#files) {
      if (!held.holders.delete(holder) || held.holders.size > 0) continue;
      this.#files.delete(hash);
      this.#dropParts(held);
      held.unwanted.abort();
    }
  }

  /**
   * What the embeddings of a part of a file are computed from.
   * @param hash of a part of a file that is held
   */
  async partOf(hash: string): Promise<NativeMedia> {
    const parts = (await this.#partsOf(this.#fileOf(hash))).filter(isMedia);
    const part = parts[indexOf(hash)];
    assert(part !== undefined, `the file of the media ${hash} has ${parts.length} parts`);
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
    assert(held !== undefined, `nobody holds the media ${hash}`);
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
      const reason = reasonOf(error);
      throw refusalOf("invalid_request", [{ field, reason }], { cause: error });
    }
  }

  #partsOf(held: HeldFile): Promise<readonly (Int32Array | NativeMedia)[]> {
    held.parts ??= this.#options.beside(() => this.#decodeAndDivide(held));
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
      `expected at most ${maxCellsAtOnce} tokens of an image (--batch-size), got ${large.cells}`,
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
