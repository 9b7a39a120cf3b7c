import type { PoolingAnswer, PoolingDescription, PoolingRequest } from "../core/pooling.js";
import type { PoolingSettings } from "../engine/pooling-engine.js";
import type { ErrorRecord } from "./error-record.js";
import type { ModelCommand, ModelReport } from "./model-protocol.js";
import type { AskAnswer, AskCall } from "./protocol.js";

/** What the process of a pooling model is told, once it is loaded. */
export type PoolingCommand =
  | AskCall
  | { readonly type: "pool"; readonly callId: number; readonly request: PoolingRequest }
  | { readonly type: "cancel"; readonly id: string };

/** What comes of them. */
export type PoolingReply =
  | AskAnswer
  | {
      readonly type: "pooled";
      readonly callId: number;
      readonly answer: PoolingAnswer | "cancelled";
    }
  | { readonly type: "not-pooled"; readonly callId: number; readonly error: ErrorRecord };

/** Messages from the daemon to the process of a pooling model. */
export type ToPooling = ModelCommand<PoolingSettings> | PoolingCommand;

/** Messages from the process of a pooling model to the daemon. */
export type FromPooling = ModelReport<PoolingDescription> | PoolingReply;
