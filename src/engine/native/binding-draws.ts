import assert from "node:assert/strict";
import {
  type AddonContext,
  type AddonSampler,
  createAddonSampler,
  type ModelInternals,
} from "./addon.js";
import { constrainedSampler } from "./constrained-sampler.js";
import { drawnLogProbabilities, type ProbingDraws, scoredDraw } from "./log-probabilities.js";
import type { NativeThreads } from "./native-threads.js";
import {
  type Logits,
  type LogProbabilities,
  NotFiniteLogits,
  type SamplingContext,
  type ScoredDraw,
  type TokenOfRow,
  type TokenSampler,
} from "./token-context.js";

export interface BindingDrawsParts {
  readonly context: AddonContext;
  readonly model: ModelInternals;
  readonly nativeThreads: NativeThreads;
}

/** Reads the rows of a context through node-llama-cpp, where there is no companion: one call for each token. */
export class BindingDraws {
  readonly #context: AddonContext;
  readonly #model: ModelInternals;
  readonly #nativeThreads: NativeThreads;
  /** For log-probabilities; created on first use. */
  #probes: readonly AddonSampler[] | undefined;
  /** Settles when they have answered the last question: a sampler draws from one row at a time. */
  #probed: Promise<unknown> = Promise.resolve();
  /** Samplers that have drawn: only their first rows are checked. */
  readonly #drawn = new WeakSet<AddonSampler>();
  /** Settles when a row of the last batch has been read for the first time. */
  #firstRead: Promise<unknown> | undefined;

  constructor({ context, model, nativeThreads }: BindingDrawsParts) {
    this.#context = context;
    this.#model = model;
    this.#nativeThreads = nativeThreads;
  }

  /** To be told before each batch: its rows have not been read. */
  noteBatch(): void {
    this.#firstRead = undefined;
  }

  createSampler(context: SamplingContext): TokenSampler {
    return constrainedSampler(context, {
      sampler: createAddonSampler(this.#model),
      draw: (logits, sampler) => this.#draw(logits, sampler),
      drawScored: (logits, sampler, top) => this.#drawScored(logits, sampler, top),
    });
  }

  /** @throws {NotFiniteLogits} */
  async logProbabilities(
    tokens: readonly TokenOfRow[],
    top: number,
  ): Promise<readonly LogProbabilities[]> {
    const probed = this.#probed
      .catch(() => undefined)
      .then(() => this.#read(() => drawnLogProbabilities(this.#probingDraws, { tokens, top })));
    this.#probed = probed;
    return probed;
  }

  /** A sampler's first row is read for it once more; all others would cost too much. */
  async #draw(logits: Logits, sampler: AddonSampler): Promise<number> {
    const token = await this.#read(() => this.#context.sampleToken(logits, sampler));
    await this.#assertFinite(logits, sampler, token);
    return token;
  }

  async #drawScored(logits: Logits, sampler: AddonSampler, top: number): Promise<ScoredDraw> {
    const drawn = await this.#read(() =>
      scoredDraw(
        (returned) => this.#context.sampleToken(logits, sampler, false, false, returned, true),
        top,
      ),
    );
    await this.#assertFinite(logits, sampler, drawn.token);
    return drawn;
  }

  /** @throws {NotFiniteLogits} */
  async #assertFinite(logits: Logits, sampler: AddonSampler, token: number): Promise<void> {
    if (this.#drawn.has(sampler)) return;
    this.#drawn.add(sampler);
    // A sum over the whole row: it shows any value that is not finite.
    const [answer] = await this.logProbabilities([{ logits, token }], 0);
    if (Number.isNaN(answer?.logProbability)) throw new NotFiniteLogits();
  }

  /** Samplers of their own: drawing changes a sampler. */
  get #probingDraws(): ProbingDraws {
    this.#probes ??= [{ temperature: 1, topK: 20 }, { temperature: 0 }].map((config) => {
      const sampler = createAddonSampler(this.#model);
      sampler.applyConfig({ minP: 0, topP: 1, seed: 0, ...config });
      return sampler;
    });
    const [first, greedy] = this.#probes;
    assert(first !== undefined && greedy !== undefined, "two samplers are made");
    return {
      top: async (logits, count) => {
        const options = [[], false, false, false, count] as const;
        const [, , , pairs = []] = await this.#context.sampleToken(
          logits,
          first,
          false,
          false,
          options,
        );
        return pairs;
      },
      weigh: async (logits, token) => {
        const options = [[token], false, false, false, 0] as const;
        const [, , , pairs = [], totalWeight = Number.NaN] = await this.#context.sampleToken(
          logits,
          greedy,
          false,
          true,
          options,
          true,
        );
        return { logit: pairs[1] ?? Number.NEGATIVE_INFINITY, totalWeight };
      },
    };
  }

  /**
   * llama.cpp waits for the device and puts its outputs in order when the first row is read. Reads
   * that run side by side would do so at the same time: the first one goes ahead.
   */
  async #read<Result>(read: () => Promise<Result>): Promise<Result> {
    if (this.#firstRead === undefined) {
      const first = read();
      this.#firstRead = first;
      return first;
    }
    // One thread takes one read after the other.
    if (this.#nativeThreads === "several") await this.#firstRead.catch(() => undefined);
    return read();
  }
}
