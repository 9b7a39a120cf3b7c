import type { LlamaContext } from "node-llama-cpp";
import type { ContextInternals } from "./addon.js";
import type {
  NativeCompanion,
  NativeDrafting,
  NativeStepper,
} from "./companion/native-companion.js";
import type { CacheLayout, DraftedText, StateDrafts } from "./token-context.js";

/**
 * A drafter that proposes tokens from a context's hidden states, with a separate context that has
 * the same sequences: the model's own layers for multi-token prediction (MTP), or an EAGLE-3 head.
 */
export type StateDrafting =
  | {
      readonly kind: "mtp";
      readonly context: LlamaContext;
      /**
       * Number of MTP layers. With several, each proposes the token of one position; a single one
       * proposes all.
       */
      readonly layers: number;
    }
  | {
      readonly kind: "eagle3";
      readonly context: LlamaContext;
      /** Layers of the model whose inputs the head reads. */
      readonly targetLayers: readonly number[];
    };

/**
 * Number of tokens at the end of a text passed to the native library: more than any draft that may
 * have been rejected.
 */
const TAIL_TOKENS = 40;
/** Maximum draft length of a layer that proposes all tokens. */
const ANY_LENGTH = 64;

/** Converts the drafter into the companion's form. */
export function buildNativeDrafting(
  drafting: StateDrafting,
  layout: CacheLayout["kind"],
  native: Pick<NativeCompanion, "readContext">,
): NativeDrafting {
  const { _ctx: context } = drafting.context as unknown as ContextInternals;
  const { maxOutputs, batchSize } = native.readContext(context);
  const commonFields = {
    context,
    isOneStream: layout === "unified",
    outputRows: maxOutputs || batchSize,
  };
  return drafting.kind === "mtp"
    ? { kind: "mtp", ...commonFields, layers: drafting.layers }
    : { kind: "eagle3", ...commonFields, targetLayers: Int32Array.from(drafting.targetLayers) };
}

/**
 * {@link StateDrafts} of the companion. It must be notified of every change to the sequences other
 * than batches.
 */
export class NativeStateDrafts implements StateDrafts {
  readonly maxLength: number;
  readonly #stepper: NativeStepper;
  readonly #threads: () => number;

  /** @param threads returns the number of compute threads; 0 keeps the current one */
  constructor(stepper: NativeStepper, drafting: StateDrafting, threads: () => number) {
    this.maxLength = drafting.kind === "mtp" && drafting.layers > 1 ? drafting.layers : ANY_LENGTH;
    this.#stepper = stepper;
    this.#threads = threads;
  }

  async propose(
    texts: readonly DraftedText[],
    length: number,
  ): Promise<ReadonlyMap<number, readonly number[]>> {
    const orderedTexts = texts.toSorted((a, b) => a.sequenceId - b.sequenceId);
    const tails = orderedTexts.map(({ tokens }) => tokens.slice(-TAIL_TOKENS));
    const fields = orderedTexts.flatMap(({ sequenceId, tokens }, index) => {
      const tailTokens = tails[index]?.length ?? 0;
      return [sequenceId, tokens.length - tailTokens, tailTokens];
    });
    const { error, counts, tokens } = await this.#stepper.propose(
      Int32Array.from(fields),
      Int32Array.from(tails.flat()),
      Math.min(length, this.maxLength),
      this.#threads(),
    );
    if (error !== "") throw new Error(error);
    let begin = 0;
    const drafts = new Map<number, readonly number[]>();
    for (const [index, { sequenceId }] of orderedTexts.entries()) {
      const end = begin + (counts[index] ?? 0);
      drafts.set(sequenceId, [...tokens.subarray(begin, end)]);
      begin = end;
    }
    return drafts;
  }

  /** Records that a sequence keeps only its first `length` tokens. */
  noteTruncated(sequenceId: number, length: number): void {
    this.#stepper.truncateDrafts(sequenceId, length);
  }

  noteCopied(from: number, to: number): void {
    this.#stepper.copyDrafts(from, to);
  }

  /** Records that all sequences are empty. */
  noteCleared(): void {
    this.#stepper.clearDrafts();
  }
}
