import type { ModelKind } from "../core/model-directory.js";
import type { AnswerMessage, CallMessage, EventsMessage } from "./rpc.js";

/** Asks a process for a sign of life. */
export interface Ping {
  readonly type: "ping";
}

/** The answer to a {@link Ping}. */
export interface Pong {
  readonly type: "pong";
  /** Steps or batches that it has evaluated. */
  readonly advances: number;
}

/** What every process that holds a model is told. Supports structured cloning, like all messages. */
export type ModelCommand<Settings> =
  | { readonly type: "load"; readonly settings: Settings }
  | CallMessage
  | Ping
  | { readonly type: "close" };

/** What every process that holds a model says of itself. */
export type ModelReport<Description> =
  /** A GPU computes everything: the process had better be started again with several native threads. */
  | { readonly type: "needs-threads" }
  | { readonly type: "progress" /** 0–1 */; readonly progress: number }
  | { readonly type: "loaded"; readonly description: Description }
  /** `kind`: the model is for something else, namely this. */
  | { readonly type: "not-loaded"; readonly reason: string; readonly kind?: ModelKind }
  | {
      readonly type: "log";
      readonly level: "error" | "warn" | "info" | "debug";
      readonly message: string;
    }
  | AnswerMessage
  /** Of an engine: all events of one step. */
  | EventsMessage
  | Pong
  /** Nothing succeeds any more: the process had better be replaced by a new one. */
  | { readonly type: "broken"; readonly reason: string }
  | { readonly type: "closed" };

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

/** Tells what every process says from what only processes of its kind do. */
export function isModelReport<Description, Notification extends { readonly type: string }>(
  message: ModelReport<Description> | Notification,
): message is ModelReport<Description> {
  return REPORT_TYPES.includes(message.type);
}
