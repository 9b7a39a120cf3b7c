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

/**
 * Generations that a failure ends. `generation`: one; `batch`: all in the batch; `step`: all, including waiting ones.
 */
export type FailureScope = "generation" | "batch" | "step";

/**
 * When generations of batches take part. `idle`: only while there is no other generation, where each
 * generation of a step slows all others, as on CPUs. `free-slots`: also at the same time, in
 * sequences that no other generation needs.
 */
export type BatchSharing = "idle" | "free-slots";

/** A generation that has been given a sequence. */
export interface Admission {
  readonly prepared: PreparedGeneration;
  readonly emit: EmitGeneration;
  readonly lease: Lease;
  /** Order of admission. */
  readonly admissionOrder: number;
  readonly cachedTokens: number;
  readonly reportableTokens: number;
  readonly cachedIn: CacheTier;
}

/** Encodes media, and holds the embeddings that running generations need. */
export interface MediaSource {
  /** Whether media is waiting to be encoded. */
  readonly isBusy: boolean;
  /** Requests that media be encoded for a generation, unless it is already encoded. */
  requestMedia(hash: string, generationId: string): void;
  /** Drops the requests of a generation. */
  forget(generationId: string): void;
  /** @throws the error that prevents the media from being encoded */
  embeddingsOf(hash: string): EncodedMedia | undefined;
  /** Encodes for at most the given time, in milliseconds, or until the current media is encoded. */
  encodeFor(milliseconds: number): Promise<void>;
}

export interface StepLoopOptions {
  readonly context: TokenContext;
  /** Stores states of sequences that are needed for another prompt. */
  readonly store?: StateStore | undefined;
  /** Saves states of slots by name; absent: slots cannot be saved. */
  readonly slotFiles?: Pick<SlotFiles, "find" | "save"> | undefined;
  readonly begin: (admission: Admission) => RunningGeneration;
  readonly batchSharing: BatchSharing;
  /** Target inter-token latency while prompts are evaluated, in milliseconds. */
  readonly itlTargetMs: number;
  /** Proposes drafts; absent: every step yields one token per generation. */
  readonly speculator?: Speculator | undefined;
  /** Encodes media; absent: prompts have no media. */
  readonly media?: MediaSource | undefined;
  /** Called after each step, when all its events have been emitted. */
  readonly onStepEnd: (report: StepReport) => void;
  /**
   * Called with every error that ends a generation, before the generation emits its last event, and after all events of
   * earlier steps; `scope` is the set of generations that the error ends.
   */
  readonly onFailure: (error: unknown, scope: FailureScope) => void;
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
}
