import assert from "node:assert/strict";
import {
  DRAW_STATUS,
  type NativeDraws,
  type NativeStepper,
  PART_FIELD,
  PART_FIELDS,
  SCORING,
} from "./companion/native-companion.js";
import type { RequestedScores, RowOutcome, StepDraws, StepRows } from "./step-draws.js";
import { SteppedSampler } from "./stepped-sampler.js";
import {
  type BatchPart,
  type DrawnToken,
  type Logits,
  type LogProbabilities,
  type MediaPiece,
  type NextBatch,
  NotFiniteLogits,
  type PartDraws,
  type SamplingContext,
  type TokenOfRow,
} from "./token-context.js";

/** Return values of `llama_decode`. */
const CACHE_FULL = 1;
const ABORTED = 2;

const NO_SAMPLER = -1;

/**
 * The steps of a context: each evaluates a batch and draws from it, on the companion's own thread.
 */
export class NativeSteps implements StepRows {
  readonly #stepper: NativeStepper;
  /** Results of the last step, by row. */
  readonly #rows = new Map<Logits, RowOutcome>();
  #stepsBegun = 0;
  #drawnByDevice = 0;

  constructor(stepper: NativeStepper) {
    this.#stepper = stepper;
  }

  /** @param maxTokens maximum number of tokens in a text */
  createSampler(context: SamplingContext, maxTokens: number): SteppedSampler {
    const limits = { maxTokens, vocabulary: this.#stepper.vocabulary };
    return new SteppedSampler(context, { rows: this, stepper: this.#stepper, limits });
  }

  /**
   * Evaluates a batch and draws the tokens that its parts request.
   * @param threads compute threads; 0 keeps the current number
   * @returns the requested rows of each part
   * @throws {Error} the batch failed, or was aborted
   */
  async evaluate(
    parts: readonly BatchPart[],
    threads: number,
    next: NextBatch,
  ): Promise<readonly (readonly Logits[])[]> {
    const rows = assignRowIds(parts);
    const draws = parts.map(({ draws }, index) => createStepDraws(draws, rows[index]?.length ?? 0));
    const encoded = encodeParts(parts, draws);
    const mayGoOn = next === "alike" && draws.every(isDecidedByDrawing);
    const step = this.#stepper.step(encoded.fields, encoded.tokens, threads, mayGoOn);
    this.#rows.clear();
    const failures = this.#sendMasks(draws);
    const outcome = await step;
    assertEvaluated(outcome.result, outcome.error);
    if (outcome.wasBegun) this.#stepsBegun++;
    this.#drawnByDevice += outcome.ofDevice;
    const outcomes = decodeRowOutcomes(outcome, (part) => parts[part]?.draws?.scores);
    for (const [index, part] of parts.entries()) {
      const error = failures.get(index);
      const drawn = outcomes[index] ?? [];
      this.#keep(rows[index] ?? [], error === undefined ? drawn : [{ kind: "failed", error }]);
      findSteppedSampler(part.draws)?.noteDrawn(
        draws[index]?.pendingTokens.length ?? 0,
        drawn.length,
      );
    }
    return rows;
  }

  /** Evaluates the cells of an image or a piece of audio. */
  async evaluateCells(
    { sequenceId, position, media, from, to }: MediaPiece,
    threads: number,
  ): Promise<void> {
    const { rows, cells, grid, isCausal } = media;
    const width = rows.length / cells;
    const positions =
      grid === undefined
        ? Int32Array.from({ length: to - from }, (_, index) => position + from + index)
        : computeGridPositions(grid.subarray(3 * from, 3 * to), position);
    const piece = rows.subarray(from * width, to * width);
    this.#rows.clear();
    const step = this.#stepper.evaluateCells(sequenceId, positions, piece, isCausal, threads);
    const { result, error } = await step;
    assertEvaluated(result, error);
  }

  #keep(rows: readonly Logits[], outcomes: readonly RowOutcome[]): void {
    for (const [index, outcome] of outcomes.entries()) {
      const row = rows[index];
      assert(row !== undefined, "more tokens were drawn than there are rows");
      this.#rows.set(row, outcome);
    }
  }

  /** Number of steps that were started before they were requested. */
  get earlySteps(): number {
    return this.#stepsBegun;
  }

  /** See {@link NativeStepper.samplingDevice}. */
  get samplingDevice(): string | undefined {
    return this.#stepper.samplingDevice;
  }

  /** Number of tokens drawn by the sampling device. */
  get deviceDraws(): number {
    return this.#drawnByDevice;
  }

  /** See {@link StepRows}. */
  outcomeOf(logits: Logits): RowOutcome | undefined {
    return this.#rows.get(logits);
  }

  /** Returns the model's probabilities of a token, if the last step computed them. */
  scoresOf({ logits, token }: TokenOfRow): LogProbabilities | undefined {
    const outcome = this.#rows.get(logits);
    if (outcome?.kind !== "drawn" || outcome.scored !== "model") return undefined;
    return outcome.drawn.token === token ? outcome.drawn.probabilities : undefined;
  }

  /** See {@link StepRows}. */
  async draw(
    logits: Logits,
    {
      samplerId,
      pendingTokens,
      computeMask,
    }: Pick<StepDraws, "samplerId" | "pendingTokens" | "computeMask">,
    scores: RequestedScores,
  ): Promise<DrawnToken> {
    const part = new Int32Array(PART_FIELDS);
    const tokens: number[] = [];
    const drawRequest = { ...NO_DRAWS, samplerId, maxDraws: 1, pendingTokens };
    encodeDraws(part, tokens, drawRequest, scores);
    const draws = await this.#stepper.draw(logits, part, Int32Array.from(tokens), computeMask?.());
    const [[outcome] = []] = decodeRowOutcomes(draws, () => scores);
    if (outcome === undefined) throw new Error("llama.cpp sampled no token");
    if (outcome.kind === "failed") throw outcome.error;
    return outcome.drawn;
  }

  /** See {@link TokenContext.hold}. */
  hold(): void {
    this.#stepper.hold();
  }

  /** See {@link TokenContext.rest}. */
  rest(): void {
    this.#stepper.rest();
  }

  /** Takes back a step started before it was requested; call it before changing the context. */
  retract(): void {
    this.#stepper.retract();
  }

  close(): void {
    this.#stepper.close();
  }

  /**
   * Sends the masks of allowed tokens to the native thread.
   * @returns errors by part, for the parts without a mask
   */
  #sendMasks(draws: readonly (StepDraws | undefined)[]): ReadonlyMap<number, unknown> {
    const failures = new Map<number, unknown>();
    for (const [part, draw] of draws.entries()) {
      if (draw?.computeMask === undefined) continue;
      try {
        this.#stepper.mask(part, draw.computeMask());
      } catch (error) {
        failures.set(part, error);
        // The thread waits for a mask.
        this.#stepper.mask(part, undefined);
      }
    }
    return failures;
  }
}

function findSteppedSampler(draws: PartDraws | undefined): SteppedSampler | undefined {
  return draws?.sampler instanceof SteppedSampler ? draws.sampler : undefined;
}

function createStepDraws(draws: PartDraws | undefined, rows: number): StepDraws | undefined {
  return draws && rows > 0 ? findSteppedSampler(draws)?.createStepDraws(draws, rows) : undefined;
}

/** Returns the rows of each part. A row's id is the index of its token in the batch. */
function assignRowIds(parts: readonly BatchPart[]): readonly (readonly Logits[])[] {
  let begin = 0;
  return parts.map(({ tokens, logitsFrom }) => {
    const first = begin + logitsFrom;
    begin += tokens.length;
    return Array.from({ length: tokens.length - logitsFrom }, (_, row) => (first + row) as Logits);
  });
}

/** Returns whether the drawn token alone decides what comes next. */
function isDecidedByDrawing(draws: StepDraws | undefined): boolean {
  return (
    draws?.decidedBy === "drawing" && draws.maxDraws === 1 && draws.replayedTokens.length === 0
  );
}

function encodeParts(parts: readonly BatchPart[], draws: readonly (StepDraws | undefined)[]) {
  const fields = new Int32Array(parts.length * PART_FIELDS);
  const tokens: number[] = [];
  for (const [
    index,
    { sequenceId, position, tokens: own, logitsFrom, draws: asked },
  ] of parts.entries()) {
    const part = fields.subarray(index * PART_FIELDS, (index + 1) * PART_FIELDS);
    part[PART_FIELD.sequence] = sequenceId;
    part[PART_FIELD.position] = position;
    part[PART_FIELD.tokens] = own.length;
    part[PART_FIELD.logitsFrom] = logitsFrom;
    part[PART_FIELD.mayFollow] = asked?.mayFollow ? 1 : 0;
    for (const token of own) tokens.push(token);
    encodeDraws(part, tokens, draws[index] ?? NO_DRAWS, asked?.scores);
  }
  return { fields, tokens: Int32Array.from(tokens) };
}

const NO_DRAWS: StepDraws = {
  samplerId: NO_SAMPLER,
  maxDraws: 0,
  pendingTokens: [],
  replayedTokens: [],
  decidedBy: "drawing",
};

/** @param tokens receives the pending tokens, then the replayed ones */
function encodeDraws(
  part: Int32Array,
  tokens: number[],
  { samplerId, maxDraws, pendingTokens, replayedTokens, decidedBy, computeMask }: StepDraws,
  scores: RequestedScores,
): void {
  part[PART_FIELD.sampler] = samplerId;
  part[PART_FIELD.maxDraws] = maxDraws;
  part[PART_FIELD.decided] = pendingTokens.length;
  part[PART_FIELD.given] = replayedTokens.length;
  part[PART_FIELD.scoring] = SCORING[scores?.origin ?? "none"];
  part[PART_FIELD.top] = scores?.top ?? 0;
  part[PART_FIELD.awaitsMask] = computeMask === undefined ? 0 : 1;
  part[PART_FIELD.keepsRows] = decidedBy === "constraint" ? 1 : 0;
  for (const token of pendingTokens) tokens.push(token);
  for (const token of replayedTokens) tokens.push(token);
}

/** Returns all positions axis by axis; llama.cpp has a fourth axis (`mtmd_decoder_pos`). */
function computeGridPositions(grid: Int32Array, position: number): Int32Array {
  const cells = grid.length / 3;
  const positions = new Int32Array(4 * cells);
  for (let cell = 0; cell < cells; cell++) {
    for (let axis = 0; axis < 3; axis++) {
      positions[axis * cells + cell] = position + (grid[3 * cell + axis] ?? 0);
    }
  }
  return positions;
}

function assertEvaluated(result: number, error: string): void {
  if (result === ABORTED) throw new Error("the batch was aborted");
  if (result === CACHE_FULL) {
    throw new Error("llama.cpp found no free cells in the KV cache for the batch");
  }
  if (result !== 0) throw new Error(error === "" ? `llama_decode returned ${result}` : error);
}

/**
 * Returns the outcomes of each part's rows, first row first.
 * @param scoresOf returns the probabilities that a part requested
 */
function decodeRowOutcomes(
  { statuses, counts, tokens, scores }: NativeDraws,
  scoresOf: (part: number) => RequestedScores,
): RowOutcome[][] {
  const nextScores = scores === undefined ? undefined : iterateScores(scores);
  let tokenIndex = 0;
  return Array.from(statuses, (status, part) => {
    const outcomes: RowOutcome[] = [];
    for (let left = counts[part] ?? 0; left > 0; left--) {
      const token = tokens[tokenIndex++];
      assert(token !== undefined, "fewer tokens were received than drawn");
      const scored = scoresOf(part)?.origin;
      const probabilities = scored && nextScores?.();
      const drawn = { token, ...(probabilities && { probabilities }) };
      outcomes.push({ kind: "drawn", drawn, scored });
    }
    const error = createDrawError(status);
    if (error !== undefined) outcomes.push({ kind: "failed", error });
    return outcomes;
  });
}

function createDrawError(status: number): Error | undefined {
  if (status === DRAW_STATUS.notFinite) return new NotFiniteLogits();
  return status === DRAW_STATUS.noToken ? new Error("llama.cpp sampled no token") : undefined;
}

/** Returns an iterator over the probabilities of the scored tokens. */
function iterateScores({
  drawn,
  topCounts,
  topTokens,
  ofTop,
}: NonNullable<NativeDraws["scores"]>): () => LogProbabilities {
  let scoredCount = 0;
  let first = 0;
  return () => {
    const count = topCounts[scoredCount] ?? 0;
    const top = Array.from(topTokens.subarray(first, first + count), (token, index) => ({
      token,
      logProbability: ofTop[first + index] ?? Number.NEGATIVE_INFINITY,
    }));
    first += count;
    return { logProbability: drawn[scoredCount++] ?? Number.NEGATIVE_INFINITY, top };
  };
}
