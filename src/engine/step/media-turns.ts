import { computePosition } from "../cache/prompt-identity.js";
import type { SequencePool } from "../cache/sequence-pool.js";
import type { EncodedMedia, TokenContext } from "../native/token-context.js";
import type { RunningGeneration } from "./running-generation.js";
import type { RunningGenerations } from "./running-generations.js";
import type { MediaSource } from "./step-loop-options.js";

export interface MediaTurnsOptions {
  readonly context: Pick<TokenContext, "batchSize" | "evaluateMedia" | "rest" | "useAdapters">;
  readonly pool: SequencePool;
  readonly running: RunningGenerations;
  readonly source: MediaSource;
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
}

/** A generation whose next item is media, with the embeddings of that media. */
interface ReadyMedia {
  readonly generation: RunningGeneration;
  readonly media: EncodedMedia;
  readonly hash: string;
  readonly positions: number;
}

/** Minimum length of a turn, in milliseconds; a shorter turn would be spent on starting and stopping. */
const MIN_TURN_MS = 2;
/**
 * Maximum time of one encoding call while no other generation computes, in milliseconds: a new generation may have
 * arrived.
 */
const MAX_ENCODING_MS = 20;
/** Minimum number of cells per turn; fewer cells take about as long. */
const MIN_CELLS = 16;

/**
 * Schedules media computation between steps of tokens: a turn encodes a part of the media, or
 * evaluates some cells of encoded media. A turn takes about as long as a step, so the inter-token
 * latency of decoding generations doubles. Indivisible work (a node of an encoder's graph, or cells
 * that attend to each other) may take longer; then turns are skipped until they make up for the
 * excess.
 */
export class MediaTurns {
  readonly #options: MediaTurnsOptions;
  /** Average time to evaluate a cell, in milliseconds; `undefined`: not known yet. */
  #msPerCell: number | undefined;
  /** Time by which earlier turns exceeded their limit, in milliseconds. */
  #debtMs = 0;

  constructor(options: MediaTurnsOptions) {
    this.#options = options;
  }

  /** Whether media is waiting to be encoded or evaluated. */
  get isDue(): boolean {
    const { running, source } = this.#options;
    return source.isBusy || running.all.some(({ tokensToMedia }) => tokensToMedia === 0);
  }

  /**
   * Returns the length of the next turn, in milliseconds.
   * @param stepMs duration of a step of the other generations; `undefined`: no other generation computes
   * @returns infinite if no other generation waits for the turn to end; `undefined` if the turn is skipped
   */
  nextTurn(stepMs: number | undefined): number | undefined {
    if (stepMs === undefined) return Number.POSITIVE_INFINITY;
    const turnMs = Math.max(MIN_TURN_MS, stepMs);
    if (this.#debtMs < turnMs) return turnMs;
    this.#debtMs -= turnMs;
    return undefined;
  }

  /** @returns number of cells that were evaluated */
  async take(turnMs: number): Promise<number> {
    const { now } = this.#options;
    const beganMs = now();
    const cells = await this.#compute(turnMs);
    this.#debtMs = Math.max(0, this.#debtMs + now() - beganMs - turnMs);
    return cells;
  }

  async #compute(turnMs: number): Promise<number> {
    const { context, source } = this.#options;
    const ready = this.#findReadyMedia();
    if (ready !== undefined) return this.#evaluate(ready, turnMs);
    context.rest();
    await source.encodeFor(turnMs === Number.POSITIVE_INFINITY ? MAX_ENCODING_MS : turnMs);
    return 0;
  }

  /** Returns the first generation, in order of {@link RunningGenerations.all}, whose next media is encoded. */
  #findReadyMedia(): ReadyMedia | undefined {
    const { running, source } = this.#options;
    for (const generation of running.all) {
      const [next] = generation.mediaAhead;
      if (next === undefined || generation.tokensToMedia > 0) continue;
      try {
        const media = source.embeddingsOf(next.hash);
        if (media !== undefined) return { ...next, generation, media };
        // The media may have been dropped while its generation was suspended.
        source.requestMedia(next.hash, generation.id);
      } catch (error) {
        running.fail(generation, error);
      }
    }
    return undefined;
  }

  async #evaluate(
    { generation, media, hash, positions }: ReadyMedia,
    turnMs: number,
  ): Promise<number> {
    const { context, pool, running, now } = this.#options;
    const { lease } = generation;
    const { partialMediaCells: from } = lease;
    const cells = this.#countTurnCells(media, from, turnMs);
    const position = computePosition(lease.contents, lease.contents.cells.length);
    const beganMs = now();
    try {
      const to = from + cells;
      const { sequenceId } = lease;
      context.useAdapters(generation.adapters.adapters);
      await context.evaluateMedia({ sequenceId, position, media, from, to });
      const msPerCell = (now() - beganMs) / cells;
      this.#msPerCell = ((this.#msPerCell ?? msPerCell) + msPerCell) / 2;
      if (to < media.cells) {
        pool.notePartialMedia(lease, to);
        return cells;
      }
      pool.append(lease, { type: "media", hash, cells: media.cells, positions });
      await pool.saveCheckpoint(lease);
    } catch (error) {
      running.fail(generation, error);
    }
    return cells;
  }

  #countTurnCells({ cells, isCausal }: EncodedMedia, from: number, turnMs: number): number {
    const remainingCells = cells - from;
    if (!isCausal) return remainingCells;
    const affordableCells =
      this.#msPerCell === undefined ? 0 : Math.floor(turnMs / this.#msPerCell);
    const cellsPerTurn =
      turnMs === Number.POSITIVE_INFINITY ? remainingCells : Math.max(MIN_CELLS, affordableCells);
    return Math.min(remainingCells, this.#options.context.batchSize, cellsPerTurn);
  }
}
