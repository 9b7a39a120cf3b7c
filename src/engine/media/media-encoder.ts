import { settlesWithin } from "../../core/settles-within.js";
import type { NativeMedia, NativeProjector } from "../native/companion/native-projector.js";
import type { EncodedMedia } from "../native/token-context.js";

export interface MediaEncoderOptions {
  readonly projector: Pick<NativeProjector, "encode" | "let" | "giveUp">;
  /** What the embeddings are computed from. */
  readonly partOf: (hash: string) => Promise<NativeMedia>;
  /** Of embeddings that are kept for prompts that come. */
  readonly maxBytes: number;
}

/** What is being encoded. */
interface Encoding {
  /** Whether its file is decoded, and its graph computed when it is let. */
  isDecoded: boolean;
  /** Never rejects. */
  readonly end: Promise<void>;
}

/** Why media have not been encoded. */
interface Failed {
  readonly error: unknown;
}

/**
 * Encodes media one after the other, in the time that it is let, and keeps the embeddings. Those that somebody wants are
 * kept whatever they take, beside them as many of the others as there is room for.
 */
export class MediaEncoder {
  readonly #options: MediaEncoderOptions;
  /** Hashes; the first one is being encoded. */
  readonly #queue: string[] = [];
  /** The one that was used last is the last one. */
  readonly #encoded = new Map<string, EncodedMedia | Failed>();
  /** Who wants what, encoded or not. */
  readonly #wantedBy = new Map<string, Set<string>>();
  #heldBytes = 0;
  #encoding: Encoding | undefined;

  constructor(options: MediaEncoderOptions) {
    this.#options = options;
  }

  /** Whether something is to be encoded. */
  get isBusy(): boolean {
    return this.#encoding !== undefined;
  }

  /** Bytes of the embeddings that are kept. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Has media encoded behind those that were wanted before, unless they are. */
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

  /** Somebody wants nothing any more. */
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
   * The embeddings of media that somebody wants.
   * @returns `undefined`: they are not encoded yet
   * @throws what encoding them has failed with
   */
  embeddingsOf(hash: string): EncodedMedia | undefined {
    const known = this.#encoded.get(hash);
    if (isFailed(known)) throw known.error;
    return known;
  }

  /** Encodes for so long, in milliseconds, or until what is being encoded is: resolves then. */
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
        // Given up, and wanted anew before that was done.
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
