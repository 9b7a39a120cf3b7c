import { measureCommonPrefix } from "../cache/common-prefix.js";
import type {
  BatchPart,
  DraftedText,
  Logits,
  TokenContext,
  TokenSampler,
} from "../native/token-context.js";
import { greedySampling } from "../sampling/sampling-options.js";
import type { Drafter } from "./drafter.js";

interface DraftSequence {
  readonly id: number;
  /** The text that is followed; the list object identifies the generation. */
  text: readonly number[] | undefined;
  heldTokens: number[];
  /** Length up to which `heldTokens` is known to be a prefix of the text. */
  agreedTokens: number;
}

export interface DraftModelOptions {
  /**
   * Context used by the draft model alone; has as many sequences as the main model's context, and
   * supports partial truncation.
   */
  readonly context: TokenContext;
  /** Capacity of one sequence of `context`, in tokens. */
  readonly contextSize: number;
}

/** Minimum number of tokens that copying a state from another sequence must save. */
const MIN_COPY_TOKENS = 32;

/**
 * A small model that follows each text of the main model in a sequence of the same id, and proposes its next tokens. A
 * sequence keeps the common prefix of its old and its new text.
 */
export class DraftModel implements Drafter {
  readonly contextSize: number;
  readonly batchSize: number;
  readonly maxLength = Number.POSITIVE_INFINITY;
  readonly #context: TokenContext;
  readonly #sequences: readonly DraftSequence[];
  /** Samplers by sequence; a native sampler draws for one sequence at a time. */
  readonly #samplers = new Map<number, TokenSampler>();

  constructor({ context, contextSize }: DraftModelOptions) {
    this.contextSize = contextSize;
    this.batchSize = context.batchSize;
    this.#context = context;
    this.#sequences = Array.from({ length: context.sequences }, (_, id) => ({
      id,
      text: undefined,
      heldTokens: [],
      agreedTokens: 0,
    }));
  }

  countMissingTokens({ sequenceId, tokens }: DraftedText): number {
    return tokens.length - measureSharedLength(this.#getSequence(sequenceId), tokens);
  }

  async catchUp(texts: readonly DraftedText[], maxTokens: number): Promise<number> {
    const parts: BatchPart[] = [];
    let tokensLeft = Math.min(maxTokens, this.batchSize);
    for (const { sequenceId, tokens } of texts) {
      if (tokensLeft === 0) break;
      const sequence = this.#getSequence(sequenceId);
      if (sequence.text !== tokens) await this.#copyNearest(sequence, tokens);
      const position = measureSharedLength(sequence, tokens);
      this.#rewind(sequence, tokens, position);
      const slice = tokens.slice(position, Math.min(position + tokensLeft, tokens.length - 1));
      if (slice.length === 0) continue;
      parts.push({ sequenceId, position, tokens: slice, logitsFrom: slice.length });
      tokensLeft -= slice.length;
    }
    if (parts.length > 0) await this.#evaluate(parts.toSorted(compareBySequence));
    return parts.reduce((sum, { tokens }) => sum + tokens.length, 0);
  }

  /**
   * See {@link Drafter}. The largest number of missing tokens is evaluated for every text, because
   * llama.cpp evaluates equal token counts in one pass.
   * @returns `length` tokens for each text, by sequence
   */
  async propose(
    texts: readonly DraftedText[],
    length: number,
  ): Promise<ReadonlyMap<number, readonly number[]>> {
    const drafts = new Map(texts.map(({ sequenceId }): [number, number[]] => [sequenceId, []]));
    const missingTokens = Math.max(...texts.map((text) => this.countMissingTokens(text)));
    let parts = texts.toSorted(compareBySequence).map(({ sequenceId, tokens }): BatchPart => {
      const position = Math.max(0, tokens.length - missingTokens);
      this.#rewind(this.#getSequence(sequenceId), tokens, position);
      const lastTokens = tokens.slice(position);
      return { sequenceId, position, tokens: lastTokens, logitsFrom: lastTokens.length - 1 };
    });
    for (let drafted = 0; drafted < length; drafted++) {
      const logits = await this.#evaluate(parts);
      const tokens = await Promise.all(
        parts.map(({ sequenceId }, index) => this.#sample(sequenceId, logits[index]?.[0])),
      );
      parts = parts.map(({ sequenceId, position, tokens: evaluated }, index): BatchPart => {
        const token = tokens[index] ?? 0;
        drafts.get(sequenceId)?.push(token);
        return {
          sequenceId,
          position: position + evaluated.length,
          tokens: [token],
          logitsFrom: 0,
        };
      });
    }
    return drafts;
  }

  /** Frees the native samplers, and ends the work that the context has started. */
  dispose(): void {
    for (const sampler of this.#samplers.values()) sampler.dispose();
    this.#context.close();
    this.#samplers.clear();
  }

  /** Copies the sequence that shares the longest prefix with the text, if that saves enough. */
  async #copyNearest(sequence: DraftSequence, tokens: readonly number[]): Promise<void> {
    const ownLength = measureCommonPrefix(sequence.heldTokens, tokens);
    let [nearestSequence, sharedTokens] = [sequence, ownLength];
    for (const other of this.#sequences) {
      const length = measureCommonPrefix(other.heldTokens, tokens);
      if (length > sharedTokens) [nearestSequence, sharedTokens] = [other, length];
    }
    if (sharedTokens - ownLength < MIN_COPY_TOKENS) return;
    await this.#context.copy(nearestSequence.id, sequence.id);
    sequence.heldTokens = [...nearestSequence.heldTokens];
  }

  /** Truncates a sequence to its first `length` tokens, which must be a prefix of the text. */
  #rewind(sequence: DraftSequence, text: readonly number[], length: number): void {
    sequence.text = text;
    sequence.agreedTokens = length;
    if (sequence.heldTokens.length === length) return;
    this.#context.truncate(sequence.id, length);
    sequence.heldTokens.length = length;
  }

  async #evaluate(parts: readonly BatchPart[]): Promise<readonly (readonly Logits[])[]> {
    const logits = await this.#context.evaluate(parts);
    for (const { sequenceId, tokens } of parts) {
      this.#getSequence(sequenceId).heldTokens.push(...tokens);
    }
    return logits;
  }

  #sample(sequenceId: number, logits: Logits | undefined): Promise<number> {
    if (logits === undefined) throw new Error(`no logits for the draft of sequence ${sequenceId}`);
    let sampler = this.#samplers.get(sequenceId);
    if (sampler === undefined) {
      sampler = this.#context.createSampler({
        options: greedySampling,
        promptTokens: [],
        generated: [],
      });
      this.#samplers.set(sequenceId, sampler);
    }
    return sampler.sample(logits);
  }

  #getSequence(id: number): DraftSequence {
    const sequence = this.#sequences[id];
    if (sequence === undefined) throw new RangeError(`the draft model has no sequence ${id}`);
    return sequence;
  }
}

/**
 * Returns the length of the prefix of a text that a sequence holds. Excludes the last token of the
 * text, whose logits are needed.
 */
function measureSharedLength(sequence: DraftSequence, tokens: readonly number[]): number {
  const { agreedTokens, heldTokens, text } = sequence;
  const knownLength = text === tokens ? agreedTokens : 0;
  return Math.min(measureCommonPrefix(heldTokens, tokens, knownLength), tokens.length - 1);
}

function compareBySequence(
  a: { readonly sequenceId: number },
  b: { readonly sequenceId: number },
): number {
  return a.sequenceId - b.sequenceId;
}
