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
interface Failed {
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
  readonly #encoded = new Map<string, EncodedMedia | Failed>();
  /** Ids of the requests for each hash, of encoded media as well as queued ones. */
  readonly #wantedBy = new Map<string, Set<string>>();
  #heldBytes = 0;
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
    return this.#heldBytes;
  }

  /** Queues media for encoding, unless they are already encoded or queued. */
  want(hash: string, by: string): void {
    this.#wantedBy.set(hash, (this.#wantedBy.get(hash) ?? new Set()).add(by));
    const known = this.#encoded.get(hash);
    if (known !== undefined) {
      this.#encoded.delete(hash);
      this.#encoded.set(hash, known);
    } else if (!this.#queue.includes(hash)) {
      this.#queue.push(hash);
      this.#encodeNext();
    }
  }

  /**
   * Records that a request or generation no longer needs its media. Encodings that no other one
   * needs are cancelled.
   */
  forget(by: string): void {
    for (const [hash, wanting] of this.#wantedBy) {
      if (!wanting.delete(by) || wanting.size > 0) continue;
      this.#wantedBy.delete(hash);
      const place = this.#queue.indexOf(hash);
      if (place === 0) this.#options.projector.giveUp();
      else if (place > 0) this.#queue.splice(place, 1);
      if (isFailed(this.#encoded.get(hash))) this.#encoded.delete(hash);
    }
    this.#dropUnwanted();
  }

  /**
   * Returns the embeddings of requested media.
   * @returns `undefined` if they are not encoded yet
   * @throws the error with which encoding failed
   */
  embeddingsOf(hash: string): EncodedMedia | undefined {
    const known = this.#encoded.get(hash);
    if (isFailed(known)) throw known.error;
    return known;
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
        if (this.#wantedBy.has(hash) && !this.#encoded.has(hash)) this.#queue.push(hash);
        this.#encodeNext();
      }),
    };
    this.#encoding = encoding;
  }

  async #encode(hash: string, onDecoded: () => void): Promise<void> {
    const { partOf, projector } = this.#options;
    let isGivenUp = () => !this.#wantedBy.has(hash);
    try {
      const part = await partOf(hash);
      if (isGivenUp()) return;
      onDecoded();
      const wanting = this.#wantedBy.get(hash);
      isGivenUp = () => wanting?.size === 0;
      const rows = await projector.encode(part);
      const { cells, isCausal, grid } = part;
      this.#encoded.set(hash, { rows, cells, isCausal, grid });
      this.#heldBytes += rows.byteLength;
      this.#dropUnwanted();
    } catch (error) {
      if (!isGivenUp()) this.#encoded.set(hash, { error });
    }
  }

  #dropUnwanted(): void {
    for (const [hash, media] of this.#encoded) {
      if (this.#heldBytes <= this.#options.maxBytes) return;
      if (isFailed(media) || this.#wantedBy.has(hash)) continue;
      this.#encoded.delete(hash);
      this.#heldBytes -= media.rows.byteLength;
    }
  }
}

function isFailed(media: EncodedMedia | Failed | undefined): media is Failed {
  return media !== undefined && "error" in media;
}
