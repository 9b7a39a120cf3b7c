import assert from "node:assert/strict";
import {
  DRAW_STATUS,
  type NativeDraws,
  type NativeStepper,
  PART_FIELD,
  PART_FIELDS,
  SCORING,
} from "./companion/native-companion.js";
import type { RowOutcome, Scores, StepDraws, StepRows } from "./step-draws.js";
import { SteppedSampler } from "./stepped-sampler.js";
import {
  type BatchPart,
  type Drawn,
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
const NO_PLACE_IN_CACHE = 1;
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
    const draws = parts.map(({ draws }, index) => stepDrawsOf(draws, rows[index]?.length ?? 0));
    const encoded = encodeParts(parts, draws);
    const mayGoOn = next === "alike" && draws.every(isDecidedByDrawing);
    const step = this.#stepper.step(encoded.fields, encoded.tokens, threads, mayGoOn);
    this.#rows.clear();
    const failures = this.#sendMasks(draws);
    const outcome = await step;
    assertEvaluated(outcome.result, outcome.error);
    if (outcome.wasBegun) this.#stepsBegun++;
    this.#drawnByDevice += outcome.ofDevice;
    const outcomes = rowOutcomes(outcome, (part) => parts[part]?.draws?.scores);
    for (const [index, part] of parts.entries()) {
      const error = failures.get(index);
      const drawn = outcomes[index] ?? [];
      this.#keep(rows[index] ?? [], error === undefined ? drawn : [{ kind: "failed", error }]);
      steppedSampler(part.draws)?.noteDrawn(draws[index]?.decided.length ?? 0, drawn.length);
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
        : gridPositions(grid.subarray(3 * from, 3 * to), position);
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
  get stepsBegun(): number {
    return this.#stepsBegun;
  }

  /** See {@link NativeStepper.samplingDevice}. */
  get samplingDevice(): string | undefined {
    return this.#stepper.samplingDevice;
  }

  /** Number of tokens drawn by the sampling device. */
  get drawnByDevice(): number {
    return this.#drawnByDevice;
  }

  /** See {@link StepRows}. */
  drawnFrom(logits: Logits): RowOutcome | undefined {
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
    { samplerId, decided, allowed }: Pick<StepDraws, "samplerId" | "decided" | "allowed">,
    scores: Scores,
  ): Promise<Drawn> {
    const part = new Int32Array(PART_FIELDS);
    const tokens: number[] = [];
    const one = { ...NO_DRAWS, samplerId, maxDraws: 1, decided };
    encodeDraws(part, tokens, one, scores);
    const draws = await this.#stepper.draw(logits, part, Int32Array.from(tokens), allowed?.());
    const [[outcome] = []] = rowOutcomes(draws, () => scores);
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
      if (draw?.allowed === undefined) continue;
      try {
        this.#stepper.mask(part, draw.allowed());
      } catch (error) {
        failures.set(part, error);
        // The thread waits for a mask.
        this.#stepper.mask(part, undefined);
      }
    }
    return failures;
  }
}

function steppedSampler(draws: PartDraws | undefined): SteppedSampler | undefined {
  return draws?.sampler instanceof SteppedSampler ? draws.sampler : undefined;
}

function stepDrawsOf(draws: PartDraws | undefined, rows: number): StepDraws | undefined {
  return draws && rows > 0 ? steppedSampler(draws)?.stepDraws(draws, rows) : undefined;
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
  return draws?.decidedBy === "drawing" && draws.maxDraws === 1 && draws.given.length === 0;
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
  decided: [],
  given: [],
  decidedBy: "drawing",
};

/** @param tokens receives the decided tokens, then the given ones */
function encodeDraws(
  part: Int32Array,
  tokens: number[],
  { samplerId, maxDraws, decided, given, decidedBy, allowed }: StepDraws,
  scores: Scores,
): void {
  part[PART_FIELD.sampler] = samplerId;
  part[PART_FIELD.maxDraws] = maxDraws;
  part[PART_FIELD.decided] = decided.length;
  part[PART_FIELD.given] = given.length;
  part[PART_FIELD.scoring] = SCORING[scores?.of ?? "none"];
  part[PART_FIELD.top] = scores?.top ?? 0;
  part[PART_FIELD.awaitsMask] = allowed === undefined ? 0 : 1;
  part[PART_FIELD.keepsRows] = decidedBy === "constraint" ? 1 : 0;
  for (const token of decided) tokens.push(token);
  for (const token of given) tokens.push(token);
}

/** Returns all positions axis by axis; llama.cpp has a fourth axis (`mtmd_decoder_pos`). */
function gridPositions(grid: Int32Array, position: number): Int32Array {
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
  if (result === NO_PLACE_IN_CACHE) {
    throw new Error("llama.cpp found no free cells in the KV cache for the batch");
  }
  if (result !== 0) throw new Error(error === "" ? `llama_decode returned ${result}` : error);
}

/**
 * Returns the outcomes of each part's rows, first row first.
 * @param scoresOf returns the probabilities that a part requested
 */
function rowOutcomes(
  { statuses, counts, tokens, scores }: NativeDraws,
  scoresOf: (part: number) => Scores,
): RowOutcome[][] {
  const nextScores = scores === undefined ? undefined : scoresInTurn(scores);
  let at = 0;
  return Array.from(statuses, (status, part) => {
    const outcomes: RowOutcome[] = [];
    for (let left = counts[part] ?? 0; left > 0; left--) {
      const token = tokens[at++];
      assert(token !== undefined, "fewer tokens were received than drawn");
      const scored = scoresOf(part)?.of;
      const probabilities = scored && nextScores?.();
      const drawn = { token, ...(probabilities && { probabilities }) };
      outcomes.push({ kind: "drawn", drawn, scored });
    }
    const error = errorOf(status);
    if (error !== undefined) outcomes.push({ kind: "failed", error });
    return outcomes;
  });
}

function errorOf(status: number): Error | undefined {
  if (status === DRAW_STATUS.notFinite) return new NotFiniteLogits();
  return status === DRAW_STATUS.noToken ? new Error("llama.cpp sampled no token") : undefined;
}

/** Returns an iterator over the probabilities of the scored tokens. */
function scoresInTurn({
  drawn,
  topCounts,
  topTokens,
  ofTop,
}: NonNullable<NativeDraws["scores"]>): () => LogProbabilities {
  let scored = 0;
  let first = 0;
  return () => {
    const count = topCounts[scored] ?? 0;
    const top = Array.from(topTokens.subarray(first, first + count), (token, index) => ({
      token,
      logProbability: ofTop[first + index] ?? Number.NEGATIVE_INFINITY,
    }));
    first += count;
    return { logProbability: drawn[scored++] ?? Number.NEGATIVE_INFINITY, top };
  };
}
