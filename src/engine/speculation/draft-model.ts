import type { BatchPart, Logits, TokenContext, TokenSampler } from "../llama/token-context.js";
import { commonPrefixLength } from "../prefix-cache/common-prefix.js";
import { greedy } from "../sampling/sampling-options.js";

/** The text of a generation, as far as a draft model follows it. */
export interface FollowedText {
  /** The generation's sequence in the main model; the draft model follows in the one of that id. */
  readonly sequenceId: number;
  /** Prompt and answer, the latest token included; one list for the whole generation. */
  readonly tokens: readonly number[];
}

interface DraftSequence {
  readonly id: number;
  /** The text that is followed: the list itself tells one generation from another. */
  text: readonly number[] | undefined;
  heldTokens: number[];
  /** How many of the held tokens are known to be the text's. */
  agreed: number;
}

export interface DraftModelOptions {
  /** Has as many sequences as the main model's, can be cut anywhere, and belongs to nobody else. */
  readonly context: TokenContext;
  /** Tokens that one of its sequences holds. */
  readonly contextSize: number;
}

/** A state is copied from another sequence when that saves so many tokens. */
const COPY_FROM_TOKENS = 32;

/**
 * A small model that follows the texts of a large one and says how it would go on. Each sequence
 * keeps what it shares with the text that it is to follow, whoever used it before.
 */
export class DraftModel {
  readonly contextSize: number;
  readonly batchSize: number;
  readonly #context: TokenContext;
  readonly #sequences: readonly DraftSequence[];
  /** Samplers are native objects that draw for one sequence at a time. */
  readonly #samplers = new Map<number, TokenSampler>();

  constructor({ context, contextSize }: DraftModelOptions) {
    this.contextSize = contextSize;
    this.batchSize = context.batchSize;
    this.#context = context;
    this.#sequences = Array.from({ length: context.sequences }, (_, id) => ({
      id,
      text: undefined,
      heldTokens: [],
      agreed: 0,
    }));
  }

  /** Tokens of a text that are to be evaluated before the first one can be proposed: 1 or more. */
  missing({ sequenceId, tokens }: FollowedText): number {
    return tokens.length - sharedLength(this.#sequence(sequenceId), tokens);
  }

  /**
   * Evaluates what is missing of texts, one text after the other, except for their last tokens.
   * @param most tokens to evaluate at most
   * @returns how many it were
   */
  async catchUp(texts: readonly FollowedText[], most: number): Promise<number> {
    const parts: BatchPart[] = [];
    let left = Math.min(most, this.batchSize);
    for (const { sequenceId, tokens } of texts) {
      if (left === 0) break;
      const sequence = this.#sequence(sequenceId);
      if (sequence.text !== tokens) await this.#copyNearest(sequence, tokens);
      const position = sharedLength(sequence, tokens);
      this.#rewind(sequence, tokens, position);
      const slice = tokens.slice(position, Math.min(position + left, tokens.length - 1));
      if (slice.length === 0) continue;
      parts.push({ sequenceId, position, tokens: slice, logitsFrom: slice.length });
      left -= slice.length;
    }
    if (parts.length > 0) await this.#evaluate(parts.toSorted(bySequence));
    return parts.reduce((sum, { tokens }) => sum + tokens.length, 0);
  }

  /**
   * How texts go on, all in lockstep. Few tokens of them may be {@link missing}: as many are
   * evaluated for each of them, because llama.cpp takes equal counts together in one pass.
   * @returns `length` tokens for each text, by sequence
   */
  async propose(
    texts: readonly FollowedText[],
    length: number,
  ): Promise<ReadonlyMap<number, readonly number[]>> {
    const drafts = new Map(texts.map(({ sequenceId }): [number, number[]] => [sequenceId, []]));
    const missing = Math.max(...texts.map((text) => this.missing(text)));
    let parts = texts.toSorted(bySequence).map(({ sequenceId, tokens }): BatchPart => {
      const position = Math.max(0, tokens.length - missing);
      this.#rewind(this.#sequence(sequenceId), tokens, position);
      const last = tokens.slice(position);
      return { sequenceId, position, tokens: last, logitsFrom: last.length - 1 };
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

  /** Frees what it made in the native library; the context is its owner's. */
  dispose(): void {
    for (const sampler of this.#samplers.values()) sampler.dispose();
    this.#samplers.clear();
  }

  /** Begins a text where another sequence is with it, if that is much further. */
  async #copyNearest(sequence: DraftSequence, tokens: readonly number[]): Promise<void> {
    const own = commonPrefixLength(sequence.heldTokens, tokens);
    let [nearest, shared] = [sequence, own];
    for (const other of this.#sequences) {
      const length = commonPrefixLength(other.heldTokens, tokens);
      if (length > shared) [nearest, shared] = [other, length];
    }
    if (shared - own < COPY_FROM_TOKENS) return;
    await this.#context.copy(nearest.id, sequence.id);
    sequence.heldTokens = [...nearest.heldTokens];
  }

  /** Keeps the first `length` tokens of a sequence, which are those of the text. */
  #rewind(sequence: DraftSequence, text: readonly number[], length: number): void {
    sequence.text = text;
    sequence.agreed = length;
    if (sequence.heldTokens.length === length) return;
    this.#context.cut(sequence.id, length);
    sequence.heldTokens.length = length;
  }

  async #evaluate(parts: readonly BatchPart[]): Promise<readonly (readonly Logits[])[]> {
    const logits = await this.#context.evaluate(parts);
    for (const { sequenceId, tokens } of parts) {
      this.#sequence(sequenceId).heldTokens.push(...tokens);
    }
    return logits;
  }

  #sample(sequenceId: number, logits: Logits | undefined): Promise<number> {
    if (logits === undefined) throw new Error(`no logits for the draft of sequence ${sequenceId}`);
    let sampler = this.#samplers.get(sequenceId);
    if (sampler === undefined) {
      sampler = this.#context.createSampler({ options: greedy, promptTokens: [], generated: [] });
      this.#samplers.set(sequenceId, sampler);
    }
    return sampler.sample(logits);
  }

  #sequence(id: number): DraftSequence {
    const sequence = this.#sequences[id];
    if (sequence === undefined) throw new RangeError(`the draft model has no sequence ${id}`);
    return sequence;
  }
}

/** What of a text a sequence holds, short of its last token, whose logits are always wanted. */
function sharedLength(sequence: DraftSequence, tokens: readonly number[]): number {
  const { agreed, heldTokens, text } = sequence;
  const known = text === tokens ? agreed : 0;
  return Math.min(commonPrefixLength(heldTokens, tokens, known), tokens.length - 1);
}

function bySequence(
  a: { readonly sequenceId: number },
  b: { readonly sequenceId: number },
): number {
  return a.sequenceId - b.sequenceId;
}
