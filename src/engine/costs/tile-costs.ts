import { exponentialAverage } from "./step-costs.js";

/**
 * llama.cpp's flash attention on CPUs reads the cache once for so many tokens of a sequence, a tile, and
 * once for each token in smaller batches (`GGML_FA_TILE_Q` in ggml).
 */
export const TILE_TOKENS = 64;
/** What fills a tile beside sequences that decode: one token of the prompt joins their sub-batch. */
export const TILE_TOKENS_BESIDE_DECODING = TILE_TOKENS + 1;
/** How far a step may exceed the target for a full tile, in targets. */
const MAX_TILE_TARGETS = 2;
/**
 * A tile that takes longer is still preferred to a small slice if it takes at most so many times as long:
 * deep in a long prompt 16 tokens take nearly as long as 64.
 */
const MAX_TILE_RATIO = 3;
/** After so many small slices a tile is tried again. */
const MAX_SLICES_IN_TURN = 32;

/** A measurement at the depth of the prompt that is being evaluated. */
type Measured = { readonly kind: "tile" | "slice"; readonly ms: number };

/**
 * Learns what a full tile of a prompt costs, and what a small slice does. Both cost more the deeper in a
 * prompt they are, so that they are compared where one follows the other.
 */
export class TileCosts {
  readonly #itlTargetMs: number;
  #last: Measured | undefined;
  /** How many times as long as a slice a tile takes. */
  #ratio: number | undefined;
  #slicesInTurn = 0;

  /** @param itlTargetMs target inter-token latency while prompts are evaluated, in milliseconds */
  constructor(itlTargetMs: number) {
    this.#itlTargetMs = itlTargetMs;
  }

  /**
   * Whether the next slice should be a full tile.
   * @param msPerToken what a prompt token costs on average
   */
  isWorthwhile(msPerToken: number): boolean {
    if (this.#slicesInTurn >= MAX_SLICES_IN_TURN) return true;
    if (this.#ratio !== undefined && this.#ratio <= MAX_TILE_RATIO) return true;
    return this.#tileMs(msPerToken) <= MAX_TILE_TARGETS * this.#itlTargetMs;
  }

  learnTile(ms: number): void {
    if (this.#last?.kind === "slice") this.#learnRatio(ms / this.#last.ms);
    this.#last = { kind: "tile", ms };
    this.#slicesInTurn = 0;
  }

  learnSlice(ms: number): void {
    if (this.#last?.kind === "tile") this.#learnRatio(this.#last.ms / ms);
    this.#last = { kind: "slice", ms };
    this.#slicesInTurn++;
  }

  /** What follows is elsewhere in a prompt, or in another one. */
  forgetDepth(): void {
    this.#last = undefined;
  }

  #tileMs(msPerToken: number): number {
    if (this.#last?.kind === "tile") return this.#last.ms;
    if (this.#last === undefined || this.#ratio === undefined) return TILE_TOKENS * msPerToken;
    return this.#ratio * this.#last.ms;
  }

  #learnRatio(ratio: number): void {
    if (Number.isFinite(ratio)) this.#ratio = exponentialAverage(this.#ratio, ratio);
  }
}
