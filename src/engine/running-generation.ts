import type { FinishReason, GenerationEvent, TokenUsage } from "../core/generation-event.js";
import type { PreparedGeneration } from "../core/generation-request.js";
import type { GeneratedText } from "./generated-text.js";
import type { SamplingOptions } from "./sampling-options.js";
import type { SamplingContext, Sequence } from "./sequence.js";

export interface RunningGenerationOptions {
  readonly prepared: PreparedGeneration;
  readonly emit: (event: GenerationEvent) => void;
  readonly sequence: Sequence;
  /** Order of admission. */
  readonly admitted: number;
  /** Prompt tokens that the sequence holds already. */
  readonly cachedTokens: number;
  readonly sampling: SamplingOptions;
  readonly text: GeneratedText;
  readonly endOfGeneration: ReadonlySet<number>;
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
}

/** A generation that holds a sequence: what it has done so far and what it tells. */
export class RunningGeneration {
  readonly id: string;
  readonly sequence: Sequence;
  readonly admitted: number;
  readonly #options: RunningGenerationOptions;
  readonly #generated: number[] = [];
  readonly #admittedAt: number;
  #firstTokenAt: number | undefined;
  #evaluated: number;

  constructor(options: RunningGenerationOptions) {
    this.id = options.prepared.id;
    this.sequence = options.sequence;
    this.admitted = options.admitted;
    this.#options = options;
    this.#evaluated = options.cachedTokens;
    this.#admittedAt = options.now();
  }

  /** Prompt tokens not evaluated yet; 0: decoding. */
  get promptTokensLeft(): number {
    return this.#options.prepared.promptTokens.length - this.#evaluated;
  }

  /** Evaluates the next `count` prompt tokens; after the last one the first token is there. */
  async prefill(count: number): Promise<number | undefined> {
    const { promptTokens } = this.#options.prepared;
    const slice = promptTokens.slice(this.#evaluated, this.#evaluated + count);
    if (count < this.promptTokensLeft) {
      await this.sequence.prefill(slice);
      this.#evaluated += count;
      return undefined;
    }
    const token = await this.sequence.beginDecoding(slice, this.#samplingContext());
    this.#evaluated += count;
    return token;
  }

  /**
   * Takes a sampled token and emits its text.
   * @returns why the generation ends with it, if it does; `finish` is still to be called.
   */
  accept(token: number): FinishReason | undefined {
    const { emit, endOfGeneration, now, prepared, text } = this.#options;
    this.#firstTokenAt ??= now();
    this.#generated.push(token);
    if (endOfGeneration.has(token)) return "stop";
    const piece = text.push(token);
    if (piece.text !== "") emit({ type: "text-delta", text: piece.text, usage: this.#usage() });
    if (piece.stopped) return "stop";
    return this.#generated.length >= prepared.maxTokens ? "length" : undefined;
  }

  /** Emits what is left of the text and how the generation ended. */
  finish(reason: FinishReason): void {
    const { emit, now, text } = this.#options;
    const rest = text.flush();
    if (rest !== "") emit({ type: "text-delta", text: rest, usage: this.#usage() });
    const firstTokenAt = this.#firstTokenAt ?? now();
    emit({
      type: "finished",
      reason,
      usage: this.#usage(),
      timings: {
        prefillMs: firstTokenAt - this.#admittedAt,
        decodeMs: now() - firstTokenAt,
      },
    });
  }

  /** Tells its end without a result. */
  end(event: Extract<GenerationEvent, { type: "cancelled" | "failed" }>): void {
    this.#options.emit(event);
  }

  #usage(): TokenUsage {
    const { cachedTokens, prepared } = this.#options;
    return {
      promptTokens: prepared.promptTokens.length,
      cachedTokens,
      completionTokens: this.#generated.length,
    };
  }

  #samplingContext(): SamplingContext {
    const { prepared, sampling } = this.#options;
    return { options: sampling, promptTokens: prepared.promptTokens, generated: this.#generated };
  }
}
