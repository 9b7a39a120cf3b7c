import assert from "node:assert/strict";
import type { EmitGeneration } from "../../core/engine.js";
import type { GenerationEvent } from "../../core/generation-event.js";
import { MEDIA_CELL, type PlacedMedia, withoutMediaCells } from "../../core/media.js";
import {
  type AdapterSet,
  computePosition,
  createAdapterSet,
  noAdapters,
  type PromptIdentity,
} from "../cache/prompt-identity.js";
import { findLimitOrigin } from "../cache/reservation.js";
import type { Lease } from "../cache/sequence-records.js";
import type { GenerationConstraint } from "../constraints/grammar-progress.js";
import { type Draft, GenerationDrafts } from "../drafts/generation-drafts.js";
import type {
  BatchPart,
  LogProbabilities,
  PartDraws,
  SamplingContext,
  TokenSampler,
} from "../native/token-context.js";
import type { GeneratedText } from "../text/output/generated-text.js";
import type { OutputParser } from "../text/output/output-parser.js";
import { isPromptScored, type PreparedGeneration } from "../text/prompt/prepared-generation.js";
import { AnswerEvents } from "./answer-events.js";
import { AnswerProgress } from "./answer-progress.js";
import { buildIdentity } from "./build-identity.js";
import { AnswerScores, PromptScores } from "./token-scores.js";

export interface RunningGenerationOptions {
  readonly prepared: PreparedGeneration;
  readonly emit: EmitGeneration;
  readonly lease: Lease;
  /** Order of admission. */
  readonly admissionOrder: number;
  /** Prompt tokens that were cached, as reported to the client: only as many as the owner may know of. */
  readonly reportableTokens: number;
  readonly createSampler: (
    context: Pick<SamplingContext, "promptTokens" | "generated">,
  ) => TokenSampler;
  readonly text: GeneratedText;
  readonly parser: OutputParser;
  readonly endOfGeneration: ReadonlySet<number>;
  /** Absent: any text may be generated. */
  readonly constraint?: GenerationConstraint | undefined;
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
}

/**
 * The token that a client waits for. Only prompts of generations that wait for their `first` token are evaluated in
 * slices.
 */
export type AwaitedToken = "first" | "next";

/** A generation with a leased sequence; tracks its progress and emits its events. */
export class RunningGeneration {
  readonly id: string;
  readonly admissionOrder: number;
  readonly sampler: TokenSampler;
  /** Scores of the prompt; `undefined`: only the prompt's last token has logits. */
  readonly promptScores: PromptScores | undefined;
  readonly #options: RunningGenerationOptions;
  /** Adapters of the generation, which apply from the token `appliedFrom` on. */
  readonly #activeAdapters: AdapterSet;
  readonly #generated: number[] = [];
  #lease: Lease;
  /**
   * Length of the text when the generation got its sequence; all of it must be computed before the next token is drawn.
   */
  #initialTextTokens: number;
  readonly #progress: AnswerProgress;
  #hasEnded = false;
  #drafts: GenerationDrafts | undefined;
  /** Scores of the answer; `undefined`: not reported. */
  readonly #scores: AnswerScores | undefined;
  readonly #events: AnswerEvents;

  constructor(options: RunningGenerationOptions) {
    this.id = options.prepared.id;
    this.#lease = options.lease;
    this.#initialTextTokens = options.prepared.promptTokens.length;
    this.admissionOrder = options.admissionOrder;
    this.#activeAdapters = createAdapterSet(options.prepared.appliedAdapters ?? []);
    this.#options = options;
    this.#progress = new AnswerProgress({
      promptTokens: options.prepared.promptTokens.length,
      cachedTokens: options.reportableTokens,
      reporting: options.prepared.progress,
      reportsPrediction: options.prepared.predictedTokens !== undefined,
      drafts: () => this.#drafts,
      now: options.now,
    });
    const { parser, prepared, text } = options;
    const emit = (event: GenerationEvent) => this.#emit(event);
    const { promptTokens, scoredTokens, stopping, topLogProbabilities } = prepared;
    this.sampler = options.createSampler({
      promptTokens:
        prepared.promptMedia === undefined ? promptTokens : withoutMediaCells(promptTokens),
      generated: this.#generated,
    });
    if (isPromptScored(prepared)) this.promptScores = new PromptScores(promptTokens, text);
    if (topLogProbabilities !== undefined) this.#scores = new AnswerScores(text, scoredTokens);
    const timings = this.#progress.reportsTimings ? () => this.#progress.timings : undefined;
    this.#events = new AnswerEvents({
      emit,
      callIds: parser.callIds,
      maxToolCalls: stopping.maxToolCalls,
      scores: this.#scores,
      timings,
    });
  }

  get lease(): Lease {
    return this.#lease;
  }

  /** Media of the prompt that the sequence does not fully hold yet, in order. */
  get mediaAhead(): readonly PlacedMedia[] {
    const { promptMedia = [] } = this.#options.prepared;
    if (promptMedia.length === 0) return promptMedia;
    const { length } = this.lease.contents.cells;
    return promptMedia.filter(({ start }) => start >= length);
  }

  /** Number of tokens before the next media; 0: media are next; infinite: no media left. */
  get tokensToMedia(): number {
    const [next] = this.mediaAhead;
    return next === undefined
      ? Number.POSITIVE_INFINITY
      : next.start - this.lease.contents.cells.length;
  }

  /** Identity of the whole text: the prompt and the generated tokens. */
  get identity(): PromptIdentity {
    return buildIdentity(this.#options.prepared, this.#generated);
  }

  /** Maximum number of tokens that the sequence may hold. */
  get maxTextTokens(): number {
    return this.promptLength + this.#options.prepared.maxTokens;
  }

  /** Adapters of the next tokens; valid for at most {@link tokensToAdapters} tokens. */
  get adapters(): AdapterSet {
    return this.tokensToAdapters === Number.POSITIVE_INFINITY ? this.#activeAdapters : noAdapters;
  }

  /** Number of tokens before the adapters apply; infinite: they already apply, or there are none. */
  get tokensToAdapters(): number {
    const { appliedFrom = 0 } = this.#options.prepared;
    const tokens = appliedFrom - this.lease.contents.cells.length;
    return tokens > 0 ? tokens : Number.POSITIVE_INFINITY;
  }

  /** Whether a line of a batch; it leaves its sequence to other generations. */
  get isOfBatch(): boolean {
    return this.#options.prepared.class === "batch";
  }

  /** See {@link PreparedGeneration}. */
  get owner(): string | undefined {
    return this.#options.prepared.owner;
  }

  /** Origin of the length limit: the client's request, or the context alone. */
  get limitOrigin(): "request" | "context" {
    return findLimitOrigin(this.#options.prepared);
  }

  /** Resumes with another lease; tokens that the sequence does not hold are evaluated like a prompt. */
  resume(lease: Lease): void {
    assert(this.promptScores === undefined, "a generation with a scored prompt cannot be resumed");
    this.#lease = lease;
    this.#initialTextTokens = this.#textTokens;
  }

  get promptLength(): number {
    return this.#options.prepared.promptTokens.length;
  }

  get #textTokens(): number {
    return this.promptLength + this.#generated.length;
  }

  /**
   * Number of tokens of the text that the sequence does not hold: the rest of the prompt, the token drawn last, and
   * tokens lost with the rejected end of a draft. 0 in a step that has computed all of them.
   */
  get uncomputedTokens(): number {
    return Math.max(0, this.#textTokens - this.lease.contents.cells.length);
  }

  /** The token that the client waits for. A prompt with one token left counts as decoding. */
  get awaitedToken(): AwaitedToken {
    return this.#isBegun || this.uncomputedTokens === 1 ? "next" : "first";
  }

  get #isBegun(): boolean {
    return this.lease.contents.cells.length >= this.#initialTextTokens;
  }

  /** Whether nothing is generated: the generation ends with its prompt. */
  get isPromptOnly(): boolean {
    return this.#options.prepared.maxTokens === 0;
  }

  /**
   * Builds the batch part of the next `count` uncomputed tokens, followed by a draft if these are all uncomputed
   * tokens. The last token requests logits if a token is to be drawn, and so does each draft token; of a forced draft
   * (`grammar`), only the last token does. While the prompt is scored, every token requests logits.
   */
  nextPart(count: number, draft?: Draft): BatchPart {
    const { uncomputedTokens } = this;
    const { sequenceId, contents } = this.lease;
    assert(
      count > 0 && count <= uncomputedTokens,
      `generation ${this.id}: expected 1 to ${uncomputedTokens} uncomputed tokens, got ${count}`,
    );
    const isWhole = count === uncomputedTokens;
    assert(
      draft === undefined || isWhole,
      `generation ${this.id}: a draft follows an incomplete text`,
    );
    const begin = contents.cells.length;
    const tokens = this.#textFrom(begin, begin + count);
    assert(!tokens.includes(MEDIA_CELL), `generation ${this.id}: cannot evaluate media as tokens`);
    if (draft !== undefined) tokens.push(...draft.tokens);
    const isSampled = isWhole && !this.isPromptOnly;
    const textLogitsFrom = isSampled ? count - 1 : count;
    const firstDrawnRow = draft?.source === "grammar" ? tokens.length - 1 : textLogitsFrom;
    const isScored = this.promptScores !== undefined && begin < this.promptLength;
    const position = computePosition(contents, begin);
    return { sequenceId, position, tokens, logitsFrom: isScored ? 0 : firstDrawnRow };
  }

  #textFrom(begin: number, end: number): number[] {
    const { promptTokens } = this.#options.prepared;
    const promptPart = promptTokens.slice(begin, end);
    const { length } = promptTokens;
    const generated = this.#generated.slice(Math.max(0, begin - length), Math.max(0, end - length));
    return [...promptPart, ...generated];
  }

  /** Drafts of this generation; created on first use, so only with speculation. */
  get drafts(): GenerationDrafts {
    const { endOfGeneration, prepared } = this.#options;
    const { promptTokens, predictedTokens, resumedTokens } = prepared;
    this.#drafts ??= new GenerationDrafts(
      promptTokens,
      this.#generated,
      endOfGeneration,
      predictedTokens ?? resumedTokens,
    );
    return this.#drafts;
  }

  /**
   * Maximum number of draft tokens; one less than the tokens left, because verifying a draft yields one more token. 0
   * before the first token is drawn, and while lost tokens are recomputed, because another rejection would lose them
   * again. 0 also for a prompt evaluated without reuse, and for prompts with media, which drafters cannot read.
   */
  get maxDraftTokens(): number {
    const { evaluation, promptMedia } = this.#options.prepared;
    if (evaluation === "anew" || promptMedia !== undefined || !this.#isBegun) return 0;
    return this.uncomputedTokens > 1 ? 0 : Math.max(0, this.#tokensLeft - 1);
  }

  /** Origin of the reported probabilities, and the number of alternatives per token; `undefined`: none are reported. */
  get scoring(): PartDraws["scores"] {
    const { logProbabilities, topLogProbabilities: top } = this.#options.prepared;
    const origin = logProbabilities === "after-sampling" ? "sampling" : "model";
    return top === undefined ? undefined : { origin, top };
  }

  /** The next token, if an engine that exited has already generated it. */
  get resumedToken(): number | undefined {
    return this.#options.prepared.resumedTokens?.[this.#generated.length];
  }

  /** Parameters for drawing the next tokens within the call that evaluates the batch; `undefined`: nothing is drawn. */
  get draws(): PartDraws | undefined {
    if (this.isPromptOnly || this.forcedToken !== undefined) return undefined;
    return {
      sampler: this.sampler,
      replayedTokens: this.#options.prepared.resumedTokens?.slice(this.#generated.length) ?? [],
      scores: this.scoring,
      mayFollow: this.#tokensLeft > 1,
    };
  }

  /** The next token, if the constraint allows only one; it is not drawn. */
  get forcedToken(): number | undefined {
    return this.#options.constraint?.forcedTokens(1)[0];
  }

  /**
   * Returns the next tokens that the constraint forces, at most `maxTokens`. Empty if log-probabilities are reported,
   * because each token then needs its logits.
   */
  forcedTokens(maxTokens: number): readonly number[] {
    return maxTokens > 0 && this.scoring === undefined
      ? (this.#options.constraint?.forcedTokens(maxTokens) ?? [])
      : [];
  }

  /**
   * Appends a sampled token. Its text is left for {@link settle}, because the next token does not depend on it.
   * @param probabilities the token's log-probabilities, if they are reported
   * @returns why the generation ends with this token, judged by tokens alone; `undefined`: it continues
   */
  accept(token: number, probabilities?: LogProbabilities): "stop" | "length" | undefined {
    this.#progress.noteToken();
    this.#generated.push(token);
    this.#drafts?.push(token);
    if (probabilities !== undefined) this.#scores?.push(probabilities);
    const { constraint, endOfGeneration } = this.#options;
    constraint?.accept(token);
    if (endOfGeneration.has(token) || constraint?.isComplete) return "stop";
    return this.#tokensLeft <= 0 ? "length" : undefined;
  }

  /** Appends a token that the constraint forces and that was evaluated in advance. */
  acceptForced(token: number): "stop" | "length" | undefined {
    this.#progress.noteForcedToken();
    return this.accept(token);
  }

  /** Emits the progress of the prompt before its evaluation: its cached tokens. */
  begin(): void {
    this.#emitPromptProgress(this.#options.reportableTokens);
  }

  /**
   * Emits the progress of the prompt, its scores, and the text of the tokens accepted since the last call.
   * @returns `stop`: the text ended with a token, a stop string or the last allowed tool call; later tokens are dropped
   */
  settle(): "stop" | undefined {
    this.#emitPromptProgress(Math.min(this.lease.contents.cells.length, this.promptLength));
    this.#emitPromptScores();
    for (const token of this.#generated.slice(this.#progress.settledTokens)) {
      this.#progress.noteSettledToken();
      if (this.#settleToken(token) === "stop") return "stop";
    }
    return undefined;
  }

  /** Emits the held-back text and the `finished` event. */
  finish(reason: "stop" | "length"): void {
    this.#end();
    const { parser, text } = this.#options;
    const lastParts = [...parser.push({ type: "text", text: text.flush() }), ...parser.flush()];
    this.#events.emit(lastParts, this.#progress.usage);
    const finishReason = reason === "stop" && this.#events.hasCalls ? "tool-calls" : reason;
    const { stopString } = text;
    const scores = this.#scores?.takeRemaining();
    this.#emit({
      type: "finished",
      reason: finishReason,
      ...(finishReason === "stop" && stopString !== undefined && { stopString }),
      ...(scores && { scores }),
      slot: this.lease.sequenceId,
      usage: this.#progress.usage,
      timings: this.#progress.timings,
    });
  }

  /** Ends the generation without a result. */
  end(event: Extract<GenerationEvent, { type: "cancelled" | "failed" }>): void {
    this.#end();
    this.#options.emit(event);
  }

  /** Whether the last event has been emitted. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  #end(): void {
    assert(!this.#hasEnded, `generation ${this.id} has already ended`);
    this.#hasEnded = true;
    this.sampler.dispose();
  }

  /** Emits an event with the settled tokens that no earlier event carried. */
  #emit(event: GenerationEvent): void {
    this.#options.emit(event, this.#generated.slice(...this.#progress.takeUnemittedRange()));
  }

  #settleToken(token: number): "stop" | undefined {
    const { endOfGeneration, parser, text } = this.#options;
    if (endOfGeneration.has(token)) {
      this.#scores?.readEnd(token);
      return "stop";
    }
    this.#scores?.read(token);
    const wasReasoning = parser.isReasoning;
    const { pieces, stopped } = text.push(token);
    const parts = pieces.flatMap((piece) => parser.push(piece));
    if (wasReasoning || parser.isReasoning) this.#progress.noteReasoningToken();
    this.#events.emit(parts, this.#progress.usage);
    return stopped || this.#events.hasEnoughCalls ? "stop" : undefined;
  }

  #emitPromptProgress(processedTokens: number): void {
    const event = this.#progress.advancePrompt(processedTokens);
    if (event !== undefined) this.#emit(event);
  }

  #emitPromptScores(): void {
    const scores = this.promptScores?.take() ?? [];
    if (scores.length === 0) return;
    this.#emit({ type: "prompt-scores", scores, usage: this.#progress.usage });
  }

  get #tokensLeft(): number {
    return this.#options.prepared.maxTokens - this.#generated.length;
  }
}
