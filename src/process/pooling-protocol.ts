import type { PoolingDescription, PoolingEngine } from "../core/pooling.js";
import type { PoolingSettings } from "../engine/pooling-engine.js";
import type { ModelCommand, ModelReport } from "./model-protocol.js";

/** What the process of a pooling model can be asked and told, once it is loaded. */
export type PoolingMethods = Pick<PoolingEngine, "pool" | "ask" | "cancel">;

/** Messages from the daemon to the process of a pooling model. */
export type ToPooling = ModelCommand<PoolingSettings>;

/** Messages from the process of a pooling model to the daemon. */
export type FromPooling = ModelReport<PoolingDescription>;
