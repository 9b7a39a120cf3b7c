import { updateAverage } from "./step-costs.js";

/**
 * Tokens of a tile: llama.cpp's flash attention on CPUs reads the cache once per tile of a
 * sequence, and once per token in smaller batches (`GGML_FA_TILE_Q` in ggml).
 */
export const TILE_TOKENS = 64;
/**
 * Prompt tokens that fill a tile while sequences decode: one more, because one prompt token is
 * evaluated in the sub-batch of the decoding sequences.
 */
export const TILE_TOKENS_WITH_DECODING = TILE_TOKENS + 1;
/** Maximum duration of a step with a full tile, in multiples of the target. */
const MAX_TILE_TARGETS = 2;
/**
 * A tile that exceeds {@link MAX_TILE_TARGETS} is still preferred to a small slice if it takes at
 * most this many times as long: deep in a long prompt, 16 tokens take nearly as long as 64.
 */
const MAX_TILE_RATIO = 3;
/** Number of consecutive small slices after which a tile is tried again. */
const MAX_SLICES_IN_TURN = 32;

/** A measurement at the current depth of the prompt. */
type Measurement = { readonly kind: "tile" | "slice"; readonly ms: number };

/**
 * Learns the costs of a full tile and of a small slice of a prompt. Both grow with the depth in the
 * prompt, so they are compared only where one follows the other.
 */
export class TileCosts {
  readonly #itlTargetMs: number;
  #lastMeasurement: Measurement | undefined;
  /** Ratio of the duration of a tile to that of a slice. */
  #ratio: number | undefined;
  #slicesInTurn = 0;

  /** @param itlTargetMs target inter-token latency while prompts are evaluated, in milliseconds */
  constructor(itlTargetMs: number) {
    this.#itlTargetMs = itlTargetMs;
  }

  /**
   * Returns whether the next slice should be a full tile.
   * @param msPerToken average cost of a prompt token
   */
  isWorthwhile(msPerToken: number): boolean {
    if (this.#slicesInTurn >= MAX_SLICES_IN_TURN) return true;
    if (this.#ratio !== undefined && this.#ratio <= MAX_TILE_RATIO) return true;
    return this.#estimateTileMs(msPerToken) <= MAX_TILE_TARGETS * this.#itlTargetMs;
  }

  learnTile(ms: number): void {
    if (this.#lastMeasurement?.kind === "slice") this.#learnRatio(ms / this.#lastMeasurement.ms);
    this.#lastMeasurement = { kind: "tile", ms };
    this.#slicesInTurn = 0;
  }

  learnSlice(ms: number): void {
    if (this.#lastMeasurement?.kind === "tile") this.#learnRatio(this.#lastMeasurement.ms / ms);
    this.#lastMeasurement = { kind: "slice", ms };
    this.#slicesInTurn++;
  }

  /**
   * Discards the last measurement, because the next one is at another depth or in another prompt.
   */
  forgetDepth(): void {
    this.#lastMeasurement = undefined;
  }

  #estimateTileMs(msPerToken: number): number {
    if (this.#lastMeasurement?.kind === "tile") return this.#lastMeasurement.ms;
    if (this.#lastMeasurement === undefined || this.#ratio === undefined)
      return TILE_TOKENS * msPerToken;
    return this.#ratio * this.#lastMeasurement.ms;
  }

  #learnRatio(ratio: number): void {
    if (Number.isFinite(ratio)) this.#ratio = updateAverage(this.#ratio, ratio);
  }
}
