import type { MediaCells } from "../../../src/core/media.js";
import type {
  NativeMedia,
  NativeProjector,
} from "../../../src/engine/native/companion/native-projector.js";
import type { EncodedMedia } from "../../../src/engine/native/token-context.js";

/** Floats of a cell. */
const WIDTH = 2;
/** Maximum cells of an image. */
const MAX_CELLS = 1000;

/** An image, as a projector divides it. */
export interface SimulatedImage extends NativeMedia {
  /** Hash by which the cache identifies the image. */
  readonly hash: string;
}

/**
 * Image of some cells.
 * @param positions fewer than cells: they form a grid (M-RoPE)
 */
export function imageOf(
  hash: string,
  cells: number,
  { positions = cells, isCausal = true }: Partial<Pick<NativeMedia, "positions" | "isCausal">> = {},
): SimulatedImage {
  const axes = (index: number) => [0, Math.floor(index / positions), index % positions];
  const grid = Int32Array.from(Array.from({ length: cells }, (_, index) => axes(index)).flat());
  const image = { kind: "image", hash, cells, positions, isCausal } as const;
  return positions === cells ? image : { ...image, grid };
}

/** A part of a prompt. */
export function segmentOf({ hash, cells, positions }: SimulatedImage): MediaCells {
  return { type: "media", hash, cells, positions };
}

/** The embeddings of an image: those of a cell are of this cell of this image alone. */
export function encodedMedia({ hash, cells, isCausal, grid }: SimulatedImage): EncodedMedia {
  const first = -2 - MAX_CELLS * numberOf(hash);
  const rows = Float32Array.from(
    { length: cells * WIDTH },
    (_, at) => first - Math.floor(at / WIDTH),
  );
  return { rows, cells, isCausal, grid };
}

const numbers = new Map<string, number>();
function numberOf(hash: string): number {
  const number = numbers.get(hash) ?? numbers.size;
  numbers.set(hash, number);
  return number;
}

/** Projector whose encodings take a number of turns. */
export class SimulatedProjector implements Pick<NativeProjector, "encode" | "let" | "giveUp"> {
  /** Hashes of the encodings that it has begun. */
  readonly encodings: string[] = [];
  readonly #lets: number;
  readonly #broken: ReadonlySet<string>;
  #current: { lets: number; readonly end: (error?: Error) => void } | undefined;

  /**
   * @param lets number of turns that an encoding takes; 0: it ends by itself
   * @param broken hashes of images that cannot be encoded
   */
  constructor({ lets = 1, broken = [] }: { lets?: number; broken?: readonly string[] } = {}) {
    this.#lets = lets;
    this.#broken = new Set(broken);
  }

  async encode(media: NativeMedia): Promise<Float32Array> {
    if (this.#current !== undefined) throw new Error("two are encoded at once");
    const image = media as SimulatedImage;
    this.encodings.push(image.hash);
    await new Promise<void>((resolve, reject) => {
      const end = (error?: Error) => {
        this.#current = undefined;
        if (error === undefined) resolve();
        else reject(error);
      };
      this.#current = { lets: this.#lets, end };
      if (this.#lets === 0) end();
    });
    if (this.#broken.has(image.hash)) throw new Error(`${image.hash} cannot be encoded`);
    return encodedMedia(image).rows;
  }

  async let(): Promise<void> {
    const current = this.#current;
    if (current !== undefined && --current.lets <= 0) current.end();
    await new Promise((resolve) => setImmediate(resolve));
  }

  giveUp(): void {
    this.#current?.end(new Error("it was given up"));
  }
}
