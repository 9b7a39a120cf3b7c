import type { Engine } from "../core/engine.js";
import type { EngineStatistics } from "../core/engine-statistics.js";
import type { GenerationRequest } from "../core/generation-request.js";
import type { ModelKind } from "../core/model-directory.js";
import type { PoolingDescription, PoolingEngine } from "../core/pooling.js";
import type { LoadedEngineDescription } from "../engine/engine-description.js";
import type { EngineSettings } from "../engine/engine-settings.js";
import type { LlamaEngine } from "../engine/llama-engine.js";
import type { GpuChoice } from "../engine/native/llama-backend.js";
import type { PoolingSettings } from "../engine/pooling-engine.js";
import type { PreparerSettings } from "../engine/prompt-preparer.js";
import type { PreparedGeneration } from "../engine/text/prompt/prepared-generation.js";
import type { AnswerMessage, CallMessage, EventsMessage } from "./rpc.js";

/** Methods of an engine's process, once its model is loaded. */
export type EngineMethods = Omit<LlamaEngine, "description" | "statistics" | "close">;

/** Methods of the process of a pooling model. */
export type PoolingMethods = Omit<PoolingEngine, "description" | "close">;

/** Methods of the process that prepares large prompts. */
export interface PreparerMethods extends Pick<Engine, "ask"> {
  prepare(request: GenerationRequest): Promise<PreparedGeneration>;
}

/** Unrequested report of an engine's process: at most one per second, after a change. */
export interface StatisticsMessage {
  readonly type: "statistics";
  readonly statistics: EngineStatistics;
}

/** Messages from the daemon to the process of an engine, of a pooling model, and of a preparer. */
export type ToEngine = ModelCommand<EngineSettings> | Preparation;
export type ToPooling = ModelCommand<PoolingSettings>;
export type ToPreparer = ModelCommand<PreparerSettings>;

/** Messages from these processes to the daemon. */
export type FromEngine = ModelReport<LoadedEngineDescription> | StatisticsMessage;
export type FromPooling = ModelReport<PoolingDescription>;
export type FromPreparer = ModelReport<undefined>;

/**
 * Makes an engine's process load the parts that every model needs, before the model is known. The
 * process does not reply.
 */
export interface Preparation {
  readonly type: "prepare-loading";
  /** GPU setting of the models that this process may load later. */
  readonly gpu: GpuChoice;
}

/** Liveness probe. */
export interface Ping {
  readonly type: "ping";
}

/** The answer to a {@link Ping}. */
export interface Pong {
  readonly type: "pong";
  /** Number of steps or batches that the process has evaluated. */
  readonly advances: number;
}

/** Messages to every process that holds a model. All messages support structured cloning. */
export type ModelCommand<Settings> =
  | { readonly type: "load"; readonly settings: Settings }
  | CallMessage
  | Ping
  | { readonly type: "close" };

/** Reports of every process that holds a model. */
export type ModelReport<Description> =
  /** A GPU computes everything: the process should be started again with several native threads. */
  | { readonly type: "needs-threads" }
  | { readonly type: "progress" /** 0–1 */; readonly progress: number }
  | { readonly type: "loaded"; readonly description: Description }
  | LoadFailureReport
  | {
      readonly type: "log";
      readonly level: "error" | "warn" | "info" | "debug";
      readonly message: string;
    }
  | AnswerMessage
  /** An engine sends all events of one step in one message. */
  | EventsMessage
  | Pong
  /** The process can do no more work and should be replaced. */
  | { readonly type: "broken"; readonly reason: string }
  | { readonly type: "closed" };

/** The model could not be loaded. */
export interface LoadFailureReport {
  readonly type: "not-loaded";
  readonly reason: string;
  /** Actual kind of the model, if it differs from the requested one. */
  readonly kind?: ModelKind;
  /** Address of the worker that cannot be used, if that is the reason. */
  readonly worker?: string;
}

const REPORT_TYPES: readonly string[] = [
  "needs-threads",
  "progress",
  "loaded",
  "not-loaded",
  "log",
  "returned",
  "threw",
  "events",
  "pong",
  "broken",
  "closed",
] satisfies ModelReport<unknown>["type"][];

/**
 * Distinguishes the reports of every model process from the notifications of one kind of process.
 */
export function isModelReport<Description, Notification extends { readonly type: string }>(
  message: ModelReport<Description> | Notification,
): message is ModelReport<Description> {
  return REPORT_TYPES.includes(message.type);
}
