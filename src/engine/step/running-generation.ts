import { randomUUID } from "node:crypto";
import type { GenerationEvent, TokenUsage } from "../../core/generation-event.js";
import type { PreparedGeneration } from "../../core/generation-request.js";
import type { BatchPart, SamplingContext, TokenSampler } from "../llama/token-context.js";
import type { GeneratedText } from "../output/generated-text.js";
import type { OutputParser, OutputPart } from "../output/output-parser.js";
import type { Lease } from "../prefix-cache/sequence-pool.js";
import { GenerationDrafts } from "../speculation/generation-drafts.js";

export interface RunningGenerationOptions {
  readonly prepared: PreparedGeneration;
  readonly emit: (event: GenerationEvent) => void;
  readonly lease: Lease;
  /** Order of admission. */
  readonly admitted: number;
  /** Prompt tokens that the sequence holds already. */
  readonly cachedTokens: number;
  readonly createSampler: (
    context: Pick<SamplingContext, "promptTokens" | "generated">,
  ) => TokenSampler;
  readonly text: GeneratedText;
  readonly parser: OutputParser;
  readonly endOfGeneration: ReadonlySet<number>;
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
}

/** A generation that holds a sequence: what it has done so far and what it tells. */
export class RunningGeneration {
  readonly id: string;
  readonly lease: Lease;
  readonly admitted: number;
  readonly sampler: TokenSampler;
  readonly #options: RunningGenerationOptions;
  readonly #generated: number[] = [];
  #reasoningTokens = 0;
  #toolCalls = 0;
  readonly #admittedAt: number;
  #firstTokenAt: number | undefined;
  #drafts: GenerationDrafts | undefined;

  constructor(options: RunningGenerationOptions) {
    this.id = options.prepared.id;
    this.lease = options.lease;
    this.admitted = options.admitted;
    this.#options = options;
    this.#admittedAt = options.now();
    const { promptTokens } = options.prepared;
    this.sampler = options.createSampler({ promptTokens, generated: this.#generated });
  }

  /** Prompt tokens not evaluated yet; 0: decoding. */
  get promptTokensLeft(): number {
    const { promptTokens } = this.#options.prepared;
    return Math.max(0, promptTokens.length - this.lease.heldTokens.length);
  }

  /** The next `count` prompt tokens for a batch. With the last one come the first logits. */
  promptPart(count: number): BatchPart {
    const { sequenceId, heldTokens } = this.lease;
    const position = heldTokens.length;
    const { promptTokens } = this.#options.prepared;
    const tokens = promptTokens.slice(position, position + count);
    const logitsFrom = count < this.promptTokensLeft ? count : count - 1;
    return { sequenceId, position, tokens, logitsFrom };
  }

  /** The token sampled last, for a batch, and what may follow it. */
  decodePart(draft: readonly number[]): BatchPart {
    const { sequenceId, heldTokens } = this.lease;
    const tokens = [...this.#generated.slice(-1), ...draft];
    return { sequenceId, position: heldTokens.length, tokens, logitsFrom: 0 };
  }

  /** What is proposed here; without speculation nobody asks, and nothing is kept. */
  get drafts(): GenerationDrafts {
    const { endOfGeneration, prepared } = this.#options;
    this.#drafts ??= new GenerationDrafts(prepared.promptTokens, this.#generated, endOfGeneration);
    return this.#drafts;
  }

  /** Tokens that may be proposed at most: one more comes with those that are right. */
  get draftRoom(): number {
    return Math.max(0, this.#tokensLeft - 1);
  }

  /**
   * Takes a sampled token and emits what it says.
   * @returns why the generation ends with it, if it does; `finish` is still to be called.
   */
  accept(token: number): "stop" | "length" | undefined {
    const { endOfGeneration, now, parser, prepared, text } = this.#options;
    this.#firstTokenAt ??= now();
    this.#generated.push(token);
    this.#drafts?.push(token);
    if (endOfGeneration.has(token)) return "stop";
    const wasReasoning = parser.isReasoning;
    const piece = text.push(token);
    const parts = parser.push(piece.text);
    if (wasReasoning || parser.isReasoning) this.#reasoningTokens++;
    this.#emit(parts);
    const { maxToolCalls = Number.POSITIVE_INFINITY } = prepared.stopping;
    if (piece.stopped || this.#toolCalls >= maxToolCalls) return "stop";
    return this.#tokensLeft <= 0 ? "length" : undefined;
  }

  /** Emits what is left of the answer and how the generation ended. */
  finish(reason: "stop" | "length"): void {
    this.sampler.dispose();
    const { emit, now, parser, text } = this.#options;
    this.#emit([...parser.push(text.flush()), ...parser.flush()]);
    const firstTokenAt = this.#firstTokenAt ?? now();
    emit({
      type: "finished",
      reason: reason === "stop" && this.#toolCalls > 0 ? "tool-calls" : reason,
      usage: this.#usage(),
      timings: {
        prefillMs: firstTokenAt - this.#admittedAt,
        decodeMs: now() - firstTokenAt,
        draftTokens: this.#drafts?.proposed ?? 0,
        acceptedDraftTokens: this.#drafts?.accepted ?? 0,
      },
    });
  }

  /** Tells its end without a result. */
  end(event: Extract<GenerationEvent, { type: "cancelled" | "failed" }>): void {
    this.sampler.dispose();
    this.#options.emit(event);
  }

  get #tokensLeft(): number {
    return this.#options.prepared.maxTokens - this.#generated.length;
  }

  #emit(parts: readonly OutputPart[]): void {
    const { emit } = this.#options;
    const usage = this.#usage();
    for (const part of parts) {
      switch (part.type) {
        case "text":
          emit({ type: "text-delta", text: part.text, usage });
          break;
        case "reasoning":
          emit({ type: "reasoning-delta", text: part.text, usage });
          break;
        case "tool-call": {
          const call = { id: `call_${randomUUID()}`, name: part.name, arguments: part.arguments };
          emit({ type: "tool-call", index: this.#toolCalls++, call, usage });
        }
      }
    }
  }

  #usage(): TokenUsage {
    const { cachedTokens, prepared } = this.#options;
    return {
      promptTokens: prepared.promptTokens.length,
      cachedTokens,
      completionTokens: this.#generated.length,
      reasoningTokens: this.#reasoningTokens,
    };
  }
}
