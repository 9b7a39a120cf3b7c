import type {
  ContextShiftOptions,
  LlamaContextSequence,
  SequenceEvaluateOptions,
  Token,
} from "node-llama-cpp";
import { createTokenBias, sequenceOrder } from "./native-internals.js";
import { activeBiases, penalisedTokens } from "./sampling-options.js";
import type { SamplingContext, Sequence } from "./sequence.js";

/** The library shifts a full context silently; lengths are checked before, so this never runs. */
const neverShift: ContextShiftOptions = {
  strategy: () => {
    throw new Error("the sequence is full: a length check let too many tokens through");
  },
};

/** A {@link Sequence} over a sequence of node-llama-cpp. */
export class LlamaSequence implements Sequence {
  readonly id: number;
  readonly #native: LlamaContextSequence;
  #heldTokens: number[] = [];
  #decoding: AsyncGenerator<Token, void> | undefined;
  #lastSampled: number | undefined;

  /** @param id the position of the sequence in its context, which orders the batch. */
  constructor(id: number, native: LlamaContextSequence) {
    this.id = id;
    this.#native = native;
  }

  get heldTokens(): readonly number[] {
    return this.#heldTokens;
  }

  async reusePrefix(promptTokens: readonly number[]): Promise<number> {
    await this.#native.adaptStateToTokens(promptTokens.slice(0, -1) as Token[], false);
    // Models that cannot cut their state anywhere may have kept less than the common prefix.
    const kept = this.#native.nextTokenIndex;
    this.#heldTokens = promptTokens.slice(0, kept);
    return kept;
  }

  async prefill(tokens: readonly number[]): Promise<void> {
    await this.#native.evaluateWithoutGeneratingNewTokens(tokens as Token[], {
      evaluationPriority: sequenceOrder(this.id),
      contextShift: neverShift,
    });
    this.#heldTokens.push(...tokens);
  }

  async beginDecoding(tokens: readonly number[], context: SamplingContext): Promise<number> {
    this.#decoding = this.#native.evaluate(tokens as Token[], this.#evaluateOptions(context));
    const token = await this.#nextToken(this.#decoding);
    this.#heldTokens.push(...tokens);
    this.#lastSampled = token;
    return token;
  }

  async decode(): Promise<number> {
    if (this.#decoding === undefined || this.#lastSampled === undefined) {
      throw new Error(`sequence ${this.id} is not decoding`);
    }
    const evaluated = this.#lastSampled;
    const token = await this.#nextToken(this.#decoding);
    this.#heldTokens.push(evaluated);
    this.#lastSampled = token;
    return token;
  }

  async endDecoding(): Promise<void> {
    const decoding = this.#decoding;
    this.#decoding = undefined;
    this.#lastSampled = undefined;
    await decoding?.return();
  }

  async clear(): Promise<void> {
    await this.endDecoding();
    this.#heldTokens = [];
    await this.#native.clearHistory();
  }

  async #nextToken(decoding: AsyncGenerator<Token, void>): Promise<number> {
    const { value, done } = await decoding.next();
    if (done || value === undefined) throw new Error("llama.cpp sampled no token");
    return value;
  }

  #evaluateOptions(context: SamplingContext): SequenceEvaluateOptions {
    const { options, promptTokens, generated } = context;
    const { penalties, logitBias, forbiddenUntil } = options;
    const biased = logitBias.size > 0 || forbiddenUntil > 0;
    return {
      temperature: options.temperature,
      topP: options.topP,
      topK: options.topK,
      minP: options.minP,
      seed: options.seed,
      // The loop decides what an end-of-generation token means.
      yieldEogToken: true,
      evaluationPriority: sequenceOrder(this.id),
      contextShift: neverShift,
      tokenBias: biased
        ? () => createTokenBias(this.#native.model, activeBiases(options, generated.length))
        : undefined,
      repeatPenalty: penalties && {
        punishTokens: () => penalisedTokens(penalties, promptTokens, generated) as Token[],
        penalty: penalties.repetition,
        presencePenalty: penalties.presence,
        frequencyPenalty: penalties.frequency,
      },
    };
  }
}
