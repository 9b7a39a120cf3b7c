import { settlesWithin } from "../../core/settles-within.js";
import type { NativeMedia, NativeProjector } from "../native/companion/native-projector.js";
import type { EncodedMedia } from "../native/token-context.js";

export interface MediaEncoderOptions {
  readonly projector: Pick<NativeProjector, "encode" | "let" | "giveUp">;
  /** Returns the data that embeddings are computed from. */
  readonly partOf: (hash: string) => Promise<NativeMedia>;
  /** Maximum size of embeddings cached for later prompts. */
  readonly maxBytes: number;
}

/** The encoding in progress. */
interface Encoding {
  /** Whether the file is decoded, so that encoding proceeds when permitted. */
  isDecoded: boolean;
  /** Resolves when the encoding ends; never rejects. */
  readonly end: Promise<void>;
}

/** The error with which encoding failed. */
interface EncodingFailure {
  readonly error: unknown;
}

/**
 * Encodes media in order, during the time allotted to it, and caches the embeddings. Requested
 * embeddings are kept whatever their size; others are cached as space permits.
 */
export class MediaEncoder {
  readonly #options: MediaEncoderOptions;
  /** Hashes to encode; the first one is in progress. */
  readonly #queue: string[] = [];
  /** Results, least recently used first. */
  readonly #results = new Map<string, EncodedMedia | EncodingFailure>();
  /** Ids of the requests and generations that need each hash, encoded or queued. */
  readonly #requestIds = new Map<string, Set<string>>();
  #storedBytes = 0;
  #encoding: Encoding | undefined;

  constructor(options: MediaEncoderOptions) {
    this.#options = options;
  }

  /** Whether an encoding is in progress. */
  get isBusy(): boolean {
    return this.#encoding !== undefined;
  }

  /** Bytes of the stored embeddings. */
  get heldBytes(): number {
    return this.#storedBytes;
  }

  /** Queues media for encoding, unless they are already encoded or queued. */
  requestMedia(hash: string, requestId: string): void {
    this.#requestIds.set(hash, (this.#requestIds.get(hash) ?? new Set()).add(requestId));
    const result = this.#results.get(hash);
    if (result !== undefined) {
      this.#results.delete(hash);
      this.#results.set(hash, result);
    } else if (!this.#queue.includes(hash)) {
      this.#queue.push(hash);
      this.#encodeNext();
    }
  }

  /**
   * Records that a request or generation no longer needs its media. Encodings that no other one
   * needs are cancelled.
   */
  forget(requestId: string): void {
    for (const [hash, wanting] of this.#requestIds) {
      if (!wanting.delete(requestId) || wanting.size > 0) continue;
      this.#requestIds.delete(hash);
      const index = this.#queue.indexOf(hash);
      if (index === 0) this.#options.projector.giveUp();
      else if (index > 0) this.#queue.splice(index, 1);
      if (isFailed(this.#results.get(hash))) this.#results.delete(hash);
    }
    this.#evictUnrequested();
  }

  /**
   * Returns the embeddings of requested media.
   * @returns `undefined` if they are not encoded yet
   * @throws the error with which encoding failed
   */
  embeddingsOf(hash: string): EncodedMedia | undefined {
    const result = this.#results.get(hash);
    if (isFailed(result)) throw result.error;
    return result;
  }

  /** Encodes for a number of milliseconds, or until the current media are encoded. */
  async encodeFor(milliseconds: number): Promise<void> {
    if (this.#encoding === undefined) return;
    const { isDecoded, end } = this.#encoding;
    if (isDecoded) await Promise.race([end, this.#options.projector.let(milliseconds)]);
    else await settlesWithin(end, milliseconds);
  }

  #encodeNext(): void {
    const [hash] = this.#queue;
    if (hash === undefined || this.#encoding !== undefined) return;
    const encoding: Encoding = {
      isDecoded: false,
      end: this.#encode(hash, () => {
        encoding.isDecoded = true;
      }).then(() => {
        this.#encoding = undefined;
        this.#queue.shift();
        // The media were withdrawn, and requested again before the encoding stopped.
        if (this.#requestIds.has(hash) && !this.#results.has(hash)) this.#queue.push(hash);
        this.#encodeNext();
      }),
    };
    this.#encoding = encoding;
  }

  async #encode(hash: string, onDecoded: () => void): Promise<void> {
    const { partOf, projector } = this.#options;
    let isCancelled = () => !this.#requestIds.has(hash);
    try {
      const part = await partOf(hash);
      if (isCancelled()) return;
      onDecoded();
      const wanting = this.#requestIds.get(hash);
      isCancelled = () => wanting?.size === 0;
      const rows = await projector.encode(part);
      const { cells, isCausal, grid } = part;
      this.#results.set(hash, { rows, cells, isCausal, grid });
      this.#storedBytes += rows.byteLength;
      this.#evictUnrequested();
    } catch (error) {
      if (!isCancelled()) this.#results.set(hash, { error });
    }
  }

  #evictUnrequested(): void {
    for (const [hash, media] of this.#results) {
      if (this.#storedBytes <= this.#options.maxBytes) return;
      if (isFailed(media) || this.#requestIds.has(hash)) continue;
      this.#results.delete(hash);
      this.#storedBytes -= media.rows.byteLength;
    }
  }
}

function isFailed(media: EncodedMedia | EncodingFailure | undefined): media is EncodingFailure {
  return media !== undefined && "error" in media;
}
