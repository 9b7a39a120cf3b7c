import type { EmitGeneration } from "../../core/engine.js";
import type { CacheTier } from "../../core/engine-statistics.js";
import type { Lease } from "../cache/sequence-records.js";
import type { SlotFiles } from "../cache/slot-files.js";
import type { StateStore } from "../cache/state-store.js";
import type { Speculator } from "../drafts/speculator.js";
import type { EncodedMedia, TokenContext } from "../native/token-context.js";
import type { PreparedGeneration } from "../text/prompt/prepared-generation.js";
import type { RunningGeneration } from "./running-generation.js";
import type { StepReport } from "./step-report.js";

/** `generation`: one of them; `batch`: all in a batch; `step`: all, waiting ones included. */
export type FailureScope = "generation" | "batch" | "step";

/** A generation that has got a sequence. */
export interface Admission {
  readonly prepared: PreparedGeneration;
  readonly emit: EmitGeneration;
  readonly lease: Lease;
  /** Order of admission. */
  readonly admitted: number;
  readonly cachedTokens: number;
  readonly knownTokens: number;
  readonly cachedIn: CacheTier;
}

/** Where embeddings come from: what running generations want of them. */
export interface MediaSource {
  /** Whether something is to be encoded. */
  readonly isBusy: boolean;
  /** Has media encoded for a generation, unless they are. */
  want(hash: string, generationId: string): void;
  /** A generation wants nothing any more. */
  forget(generationId: string): void;
  /** @throws why media cannot be encoded */
  embeddingsOf(hash: string): EncodedMedia | undefined;
  /** Encodes for so long, in milliseconds, or until what is being encoded is. */
  encodeFor(milliseconds: number): Promise<void>;
}

export interface StepLoopOptions {
  readonly context: TokenContext;
  /** Keeps states whose sequence is needed for another prompt. */
  readonly store?: StateStore | undefined;
  /** Where states of slots are saved by name; absent: nowhere. */
  readonly slotFiles?: Pick<SlotFiles, "find" | "save"> | undefined;
  readonly begin: (admission: Admission) => RunningGeneration;
  /** Target inter-token latency while prompts are evaluated, in milliseconds. */
  readonly itlTargetMs: number;
  /** Proposes drafts; absent: every step yields one token per generation. */
  readonly speculator?: Speculator | undefined;
  /** Encodes media; absent: no prompt has any. */
  readonly media?: MediaSource | undefined;
  /** Called after each step, when all its events have been emitted. */
  readonly onStepEnd: (report: StepReport) => void;
  /**
   * Called with every error that ends a generation, before that is told, and after all that is to be told of the
   * steps before; `scope` says how many it ends.
   */
  readonly onFailure: (error: unknown, scope: FailureScope) => void;
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
}
