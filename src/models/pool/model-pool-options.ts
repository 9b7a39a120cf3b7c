import type { MemoryUse } from "../../core/memory-use.js";
import type { LoadableModel, PooledModel } from "./pooled-model.js";

/** Models, limits and callbacks of a pool. */
export interface ModelPoolOptions {
  /** Models with distinct names. */
  readonly models: readonly LoadableModel[];
  /** Returns the memory budget of all models together; called when a model is planned. */
  readonly budget: () => MemoryUse;
  /** Maximum number of loaded models. @default 0, no limit */
  readonly maxModels?: number;
  /** `explicit`: requests do not load models. @default on-request */
  readonly loading?: "on-request" | "explicit";
  /** Cores that concurrently computing models share. */
  readonly cores: number;
  /** Maximum number of requests that wait for models to be loaded. */
  readonly maxWaiting: number;
  /** Maximum time that a request waits for its model, in milliseconds; 0: no limit. */
  readonly waitingLimitMs: number;
  /**
   * Called when a model could not be loaded. The error names files and must not be sent to clients.
   */
  readonly onFailure: (alias: string, error: unknown) => void;
  /**
   * Decides whether a model whose process has ended while it was loading is loaded once more.
   * @default never
   */
  readonly mayRetry?: (alias: string, error: unknown) => boolean;
  /** Called when the state or progress of a model has changed. */
  readonly onChange?: (model: PooledModel) => void;
  /** Clock: milliseconds, monotonic. @default performance.now */
  readonly now?: () => number;
}
