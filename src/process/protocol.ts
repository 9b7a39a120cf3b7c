import type { Engine, EngineDescription } from "../core/engine.js";
import type { EngineStatistics } from "../core/engine-statistics.js";
import type { GenerationRequest } from "../core/generation-request.js";
import type { PoolingDescription, PoolingEngine } from "../core/pooling.js";
import type { EngineSettings } from "../engine/engine-settings.js";
import type { LlamaEngine } from "../engine/llama-engine.js";
import type { PoolingSettings } from "../engine/pooling-engine.js";
import type { PreparerSettings } from "../engine/prompt-preparer.js";
import type { PreparedGeneration } from "../engine/text/prompt/prepared-generation.js";
import type { ModelCommand, ModelReport } from "./model-protocol.js";

/** What an engine's process can be asked and told, once its model is loaded. */
export type EngineMethods = Omit<LlamaEngine, "description" | "statistics" | "close">;

/** What the process of a pooling model can be asked and told. */
export type PoolingMethods = Omit<PoolingEngine, "description" | "close">;

/** What the process that prepares large prompts can be asked. */
export interface PreparerMethods extends Pick<Engine, "ask"> {
  prepare(request: GenerationRequest): Promise<PreparedGeneration>;
}

/** What an engine's process sends unasked: at most once a second, after something has changed. */
export interface StatisticsMessage {
  readonly type: "statistics";
  readonly statistics: EngineStatistics;
}

/** Messages from the daemon to the process of an engine, of a pooling model, and of a preparer. */
export type ToEngine = ModelCommand<EngineSettings>;
export type ToPooling = ModelCommand<PoolingSettings>;
export type ToPreparer = ModelCommand<PreparerSettings>;

/** Messages from these processes to the daemon. */
export type FromEngine = ModelReport<EngineDescription> | StatisticsMessage;
export type FromPooling = ModelReport<PoolingDescription>;
export type FromPreparer = ModelReport<undefined>;
