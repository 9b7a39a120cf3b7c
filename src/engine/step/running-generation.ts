import assert from "node:assert/strict";
import type { EmitGeneration } from "../../core/engine.js";
import type {
  GenerationEvent,
  GenerationTimings,
  PredictionUsage,
  TokenUsage,
} from "../../core/generation-event.js";
import { MEDIA_CELL, type PlacedMedia } from "../../core/media.js";
import {
  type AdapterSet,
  adapterSet,
  noAdapters,
  type PromptIdentity,
  positionOf,
} from "../cache/prompt-identity.js";
import { limitedBy } from "../cache/reservation.js";
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
import { GenerationTimes } from "./generation-times.js";
import { identityOf } from "./identity-of.js";
import { AnswerScores, PromptScores } from "./token-scores.js";

export interface RunningGenerationOptions {
  readonly prepared: PreparedGeneration;
  readonly emit: EmitGeneration;
  readonly lease: Lease;
  /** Order of admission. */
  readonly admitted: number;
  /** Prompt tokens that the sequence held already, as far as their owner may know of it. */
  readonly knownTokens: number;
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

/** What the client of a generation waits for: only a first token lets its prompt be evaluated in slices. */
export type AwaitedToken = "first" | "next";

/** A generation with a leased sequence: its progress and its events. */
export class RunningGeneration {
  readonly id: string;
  readonly admitted: number;
  readonly sampler: TokenSampler;
  /** `undefined`: only the prompt's last token has logits. */
  readonly promptScores: PromptScores | undefined;
  readonly #options: RunningGenerationOptions;
  /** What it is computed under, once they apply. */
  readonly #applied: AdapterSet;
  readonly #generated: number[] = [];
  #lease: Lease;
  /** Length of its text when it got its sequence: what is computed before its next token is drawn. */
  #begunTokens: number;
  /** Of the generated ones: those whose text has been emitted or is held back. */
  #settledTokens = 0;
  /** Of those: the ones that were told with an event. */
  #toldTokens = 0;
  /** Tokens of the prompt whose progress was told. */
  #toldPromptTokens = 0;
  #reasoningTokens = 0;
  /** Of the generated ones: those that were evaluated in advance, as its constraint left no choice. */
  #forcedTokens = 0;
  readonly #times: GenerationTimes;
  #hasEnded = false;
  #drafts: GenerationDrafts | undefined;
  /** `undefined`: none are reported. */
  readonly #scores: AnswerScores | undefined;
  readonly #events: AnswerEvents;

  constructor(options: RunningGenerationOptions) {
    this.id = options.prepared.id;
    this.#lease = options.lease;
    this.#begunTokens = options.prepared.promptTokens.length;
    this.admitted = options.admitted;
    this.#applied = adapterSet(options.prepared.appliedAdapters ?? []);
    this.#options = options;
    this.#times = new GenerationTimes(options.now);
    const { parser, prepared, text } = options;
    const emit = (event: GenerationEvent) => this.#emit(event);
    const { promptTokens, scoredTokens, stopping, topLogProbabilities } = prepared;
    this.sampler = options.createSampler({
      promptTokens: prepared.promptMedia === undefined ? promptTokens : withoutMedia(promptTokens),
      generated: this.#generated,
    });
    if (isPromptScored(prepared)) this.promptScores = new PromptScores(promptTokens, text);
    if (topLogProbabilities !== undefined) this.#scores = new AnswerScores(text, scoredTokens);
    const timings =
      prepared.progress?.timings === "with-each-text" ? () => this.#timings() : undefined;
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

  /** Media of its prompt that its sequence does not hold whole, in their order. */
  get mediaAhead(): readonly PlacedMedia[] {
    const { promptMedia = [] } = this.#options.prepared;
    if (promptMedia.length === 0) return promptMedia;
    const { length } = this.lease.held.cells;
    return promptMedia.filter(({ start }) => start >= length);
  }

  /** Tokens before the next media; 0: they are next; infinite: none are ahead. */
  get tokensToMedia(): number {
    const [next] = this.mediaAhead;
    return next === undefined
      ? Number.POSITIVE_INFINITY
      : next.start - this.lease.held.cells.length;
  }

  /** All of its text: the prompt and what has been generated. */
  get identity(): PromptIdentity {
    return identityOf(this.#options.prepared, this.#generated);
  }

  /** Tokens that it may hold at most. */
  get wholeTokens(): number {
    return this.promptLength + this.#options.prepared.maxTokens;
  }

  /** What its next tokens are computed under, {@link tokensToAdapters} of them at most. */
  get adapters(): AdapterSet {
    return this.tokensToAdapters === Number.POSITIVE_INFINITY ? this.#applied : noAdapters;
  }

  /** Tokens before the one that its adapters apply from; infinite: they apply, or there are none. */
  get tokensToAdapters(): number {
    const { appliedFrom = 0 } = this.#options.prepared;
    const tokens = appliedFrom - this.lease.held.cells.length;
    return tokens > 0 ? tokens : Number.POSITIVE_INFINITY;
  }

  /** See {@link PreparedGeneration}. */
  get owner(): string | undefined {
    return this.#options.prepared.owner;
  }

  /** Who limits its length: the client, or the context alone. */
  get limitedBy(): "request" | "context" {
    return limitedBy(this.#options.prepared);
  }

  /** Goes on with another lease: what its sequence does not hold is evaluated like a prompt. */
  resume(lease: Lease): void {
    assert(this.promptScores === undefined, "a prompt that is scored goes on elsewhere");
    this.#lease = lease;
    this.#begunTokens = this.#textTokens;
  }

  /** Tokens of its prompt. */
  get promptLength(): number {
    return this.#options.prepared.promptTokens.length;
  }

  get #textTokens(): number {
    return this.promptLength + this.#generated.length;
  }

  /**
   * Tokens of its text that its sequence does not hold: what is left of the prompt, the token that was drawn
   * last, and those that were lost with the rejected end of a draft. 0 in a step that has computed all.
   */
  get uncomputedTokens(): number {
    return Math.max(0, this.#textTokens - this.lease.held.cells.length);
  }

  /** What its client waits for. A prompt that lacks but its last token is as good as decoding. */
  get awaits(): AwaitedToken {
    return this.#isBegun || this.uncomputedTokens === 1 ? "next" : "first";
  }

  get #isBegun(): boolean {
    return this.lease.held.cells.length >= this.#begunTokens;
  }

  /** Whether nothing is generated: it ends with its prompt. */
  get isPromptOnly(): boolean {
    return this.#options.prepared.maxTokens === 0;
  }

  /**
   * The next `count` of its uncomputed tokens for a batch, followed by a draft where they are all of them.
   * The last one requests logits, if a token is to be drawn, and so does each of a draft; where the
   * draft is certain, its last token alone. Where the prompt is scored, all of it do.
   */
  nextPart(count: number, draft?: Draft): BatchPart {
    const { uncomputedTokens } = this;
    const { sequenceId, held } = this.lease;
    assert(
      count > 0 && count <= uncomputedTokens,
      `${count} tokens of generation ${this.id}, of which ${uncomputedTokens} are not computed`,
    );
    const isWhole = count === uncomputedTokens;
    assert(draft === undefined || isWhole, `generation ${this.id}: a draft behind half a text`);
    const begin = held.cells.length;
    const tokens = this.#textFrom(begin, begin + count);
    assert(!tokens.includes(MEDIA_CELL), `media of generation ${this.id} are taken for tokens`);
    if (draft !== undefined) tokens.push(...draft.tokens);
    const isDrawnFrom = isWhole && !this.isPromptOnly;
    const ofText = isDrawnFrom ? count - 1 : count;
    const drawnFrom = draft?.source === "grammar" ? tokens.length - 1 : ofText;
    const isScored = this.promptScores !== undefined && begin < this.promptLength;
    const position = positionOf(held, begin);
    return { sequenceId, position, tokens, logitsFrom: isScored ? 0 : drawnFrom };
  }

  #textFrom(begin: number, end: number): number[] {
    const { promptTokens } = this.#options.prepared;
    const ofPrompt = promptTokens.slice(begin, end);
    const before = promptTokens.length;
    const generated = this.#generated.slice(Math.max(0, begin - before), Math.max(0, end - before));
    return [...ofPrompt, ...generated];
  }

  /** The drafts of this generation; created on first use, that is only with speculation. */
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
   * Tokens that may be proposed at most: verifying a draft yields one token more. None before a token is drawn, nor
   * while lost ones are computed, which another rejection would lose again; none of what is evaluated anew, nor behind
   * media, which those who propose do not know.
   */
  get maxDraftTokens(): number {
    const { evaluation, promptMedia } = this.#options.prepared;
    if (evaluation === "anew" || promptMedia !== undefined || !this.#isBegun) return 0;
    return this.uncomputedTokens > 1 ? 0 : Math.max(0, this.#tokensLeft - 1);
  }

  /** Whose probabilities are reported with each token, and of how many others; `undefined`: none are. */
  get scoring(): PartDraws["scores"] {
    const { logProbabilities, topLogProbabilities: top } = this.#options.prepared;
    const of = logProbabilities === "after-sampling" ? "sampling" : "model";
    return top === undefined ? undefined : { of, top };
  }

  /** The next token, where an engine that was lost has generated it already. */
  get resumedToken(): number | undefined {
    return this.#options.prepared.resumedTokens?.[this.#generated.length];
  }

  /** What is sampled next, for the call that evaluates the batch; `undefined`: nothing is drawn. */
  get draws(): PartDraws | undefined {
    if (this.isPromptOnly || this.forcedToken !== undefined) return undefined;
    return {
      sampler: this.sampler,
      given: this.#options.prepared.resumedTokens?.slice(this.#generated.length) ?? [],
      scores: this.scoring,
      mayFollow: this.#tokensLeft > 1,
    };
  }

  /** The next token, where its constraint leaves no choice: it is not drawn. */
  get forcedToken(): number | undefined {
    return this.#options.constraint?.forcedTokens(1)[0];
  }

  /**
   * Tokens that its constraint leaves no choice about, at most so many. None where the probabilities of all
   * tokens are wanted.
   */
  forcedTokens(maxTokens: number): readonly number[] {
    return maxTokens > 0 && this.scoring === undefined
      ? (this.#options.constraint?.forcedTokens(maxTokens) ?? [])
      : [];
  }

  /**
   * Appends a sampled token. Its text is left for {@link settle}: the next token does not depend on it.
   * @param probabilities what the model gave it, if they are to be reported
   * @returns why the generation ends with this token, as far as tokens tell; `undefined`: it goes on
   */
  accept(token: number, probabilities?: LogProbabilities): "stop" | "length" | undefined {
    this.#times.noteToken();
    this.#generated.push(token);
    this.#drafts?.push(token);
    if (probabilities !== undefined) this.#scores?.push(probabilities);
    const { constraint, endOfGeneration } = this.#options;
    constraint?.accept(token);
    if (endOfGeneration.has(token) || constraint?.isComplete) return "stop";
    return this.#tokensLeft <= 0 ? "length" : undefined;
  }

  /** Appends a token that its constraint forces, and that was evaluated in advance. */
  acceptForced(token: number): "stop" | "length" | undefined {
    this.#forcedTokens++;
    return this.accept(token);
  }

  /**
   * Emits how far the prompt is evaluated, the scores of that, and the text of the tokens accepted since the
   * last call.
   * @returns `stop`: the text has ended, by a token, a stop string or the last allowed tool call; tokens
   *   behind it are cut off
   */
  settle(): "stop" | undefined {
    this.#emitPromptProgress();
    this.#emitPromptScores();
    for (const token of this.#generated.slice(this.#settledTokens)) {
      this.#settledTokens++;
      if (this.#settleToken(token) === "stop") return "stop";
    }
    return undefined;
  }

  /** Emits the held-back text and the `finished` event. */
  finish(reason: "stop" | "length"): void {
    this.#end();
    const { parser, text } = this.#options;
    const rest = [...parser.push({ type: "text", text: text.flush() }), ...parser.flush()];
    this.#events.emit(rest, this.#usage());
    const finishReason = reason === "stop" && this.#events.hasCalls ? "tool-calls" : reason;
    const { stopString } = text;
    const scores = this.#scores?.takeRest();
    this.#emit({
      type: "finished",
      reason: finishReason,
      ...(finishReason === "stop" && stopString !== undefined && { stopString }),
      ...(scores && { scores }),
      slot: this.lease.sequenceId,
      usage: this.#usage(),
      timings: this.#timings(),
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
    assert(!this.#hasEnded, `generation ${this.id} ends twice`);
    this.#hasEnded = true;
    this.sampler.dispose();
  }

  /** Emits an event with the tokens that it is the first to know of. */
  #emit(event: GenerationEvent): void {
    const tokens = this.#generated.slice(this.#toldTokens, this.#settledTokens);
    this.#toldTokens = this.#settledTokens;
    this.#options.emit(event, tokens);
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
    if (wasReasoning || parser.isReasoning) this.#reasoningTokens++;
    this.#events.emit(parts, this.#usage());
    return stopped || this.#events.hasEnoughCalls ? "stop" : undefined;
  }

  #emitPromptProgress(): void {
    const { prepared } = this.#options;
    if (prepared.progress?.prompt === undefined) return;
    const processedTokens = Math.min(this.lease.held.cells.length, prepared.promptTokens.length);
    if (processedTokens === this.#toldPromptTokens) return;
    this.#toldPromptTokens = processedTokens;
    const { elapsedMs } = this.#times;
    this.#emit({ type: "prompt-progress", processedTokens, elapsedMs, usage: this.#usage() });
  }

  #emitPromptScores(): void {
    const scores = this.promptScores?.take() ?? [];
    if (scores.length === 0) return;
    this.#emit({ type: "prompt-scores", scores, usage: this.#usage() });
  }

  get #tokensLeft(): number {
    return this.#options.prepared.maxTokens - this.#generated.length;
  }

  /** Up to the last token. */
  #timings(): GenerationTimings {
    return {
      ...this.#times.phases,
      draftTokens: this.#drafts?.proposed ?? 0,
      acceptedDraftTokens: this.#drafts?.accepted ?? 0,
      forcedTokens: this.#forcedTokens,
    };
  }

  #usage(): TokenUsage {
    const { knownTokens, prepared } = this.#options;
    const promptTokens = prepared.promptTokens.length;
    return {
      promptTokens,
      cachedTokens: knownTokens,
      completionTokens: this.#settledTokens,
      reasoningTokens: this.#reasoningTokens,
      ...(prepared.predictedTokens && { prediction: this.#predictionUsage }),
    };
  }

  /** Without speculation there are no drafts. */
  get #predictionUsage(): PredictionUsage {
    const evaluated = this.#options.prepared.promptTokens.length + this.#settledTokens;
    const unused = { acceptedTokens: 0, rejectedTokens: 0 };
    return this.#drafts?.predictionUsage(evaluated) ?? unused;
  }
}

/** What samplers know of a prompt: media are no tokens that could be repeated. */
function withoutMedia(promptTokens: readonly number[]): readonly number[] {
  return promptTokens.filter((token) => token !== MEDIA_CELL);
}
