import type { LlamaContext } from "node-llama-cpp";
import type { ContextInternals } from "./addon.js";
import type {
  NativeCompanion,
  NativeDrafting,
  NativeStepper,
} from "./companion/native-companion.js";
import type { CacheLayout, DraftedText, StateDrafts } from "./token-context.js";

/**
 * What proposes tokens by a context's hidden states, with a context of its own that has the same sequences: the model's
 * own layers for multi-token prediction, or an EAGLE-3 head.
 */
export type StateDrafting =
  | {
      readonly kind: "mtp";
      readonly context: LlamaContext;
      /** Layers that each propose the token of one step; 1: it proposes all of them. */
      readonly layers: number;
    }
  | {
      readonly kind: "eagle3";
      readonly context: LlamaContext;
      /** Layers of the model whose inputs the head reads. */
      readonly targetLayers: readonly number[];
    };

/** The end of a text that is shown to the native library: longer than any draft that may have been rejected. */
const SHOWN_TOKENS = 40;
/** Of a layer that proposes all tokens. */
const ANY_LENGTH = 64;

/** The same in the companion's terms. */
export function nativeDrafting(
  drafting: StateDrafting,
  layout: CacheLayout["kind"],
  native: Pick<NativeCompanion, "readContext">,
): NativeDrafting {
  const { _ctx: context } = drafting.context as unknown as ContextInternals;
  const { maxOutputs, batchSize } = native.readContext(context);
  const common = {
    context,
    isOneStream: layout === "unified",
    outputRows: maxOutputs || batchSize,
  };
  return drafting.kind === "mtp"
    ? { kind: "mtp", ...common, layers: drafting.layers }
    : { kind: "eagle3", ...common, targetLayers: Int32Array.from(drafting.targetLayers) };
}

/** {@link StateDrafts} of the companion, which has to be told what happens to the sequences besides batches. */
export class NativeStateDrafts implements StateDrafts {
  readonly maxLength: number;
  readonly #stepper: NativeStepper;
  readonly #threads: () => number;

  /** @param threads that compute; 0: as before */
  constructor(stepper: NativeStepper, drafting: StateDrafting, threads: () => number) {
    this.maxLength = drafting.kind === "mtp" && drafting.layers > 1 ? drafting.layers : ANY_LENGTH;
    this.#stepper = stepper;
    this.#threads = threads;
  }

  async propose(
    texts: readonly DraftedText[],
    length: number,
  ): Promise<ReadonlyMap<number, readonly number[]>> {
    const ascending = texts.toSorted((a, b) => a.sequenceId - b.sequenceId);
    const ends = ascending.map(({ tokens }) => tokens.slice(-SHOWN_TOKENS));
    const fields = ascending.flatMap(({ sequenceId, tokens }, index) => {
      const shown = ends[index]?.length ?? 0;
      return [sequenceId, tokens.length - shown, shown];
    });
    const { error, counts, tokens } = await this.#stepper.propose(
      Int32Array.from(fields),
      Int32Array.from(ends.flat()),
      Math.min(length, this.maxLength),
      this.#threads(),
    );
    if (error !== "") throw new Error(error);
    let begin = 0;
    const drafts = new Map<number, readonly number[]>();
    for (const [index, { sequenceId }] of ascending.entries()) {
      const end = begin + (counts[index] ?? 0);
      drafts.set(sequenceId, [...tokens.subarray(begin, end)]);
      begin = end;
    }
    return drafts;
  }

  /** A sequence keeps its first `length` tokens. */
  noteTruncated(sequenceId: number, length: number): void {
    this.#stepper.truncateDrafts(sequenceId, length);
  }

  noteCopied(from: number, to: number): void {
    this.#stepper.copyDrafts(from, to);
  }

  /** All sequences are empty. */
  noteCleared(): void {
    this.#stepper.clearDrafts();
  }
}
