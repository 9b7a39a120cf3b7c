import type { ModelKind } from "../core/model-directory.js";

/** What every process that holds a model is told. Supports structured cloning, like all messages. */
export type ModelCommand<Settings> =
  | { readonly type: "load"; readonly settings: Settings }
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
  | { readonly type: "closed" };

const REPORT_TYPES: readonly string[] = [
  "needs-threads",
  "progress",
  "loaded",
  "not-loaded",
  "log",
  "closed",
] satisfies ModelReport<unknown>["type"][];

/** Tells a report from an answer to a call. */
export function isModelReport<Description, Answer extends { readonly type: string }>(
  message: ModelReport<Description> | Answer,
): message is ModelReport<Description> {
  return REPORT_TYPES.includes(message.type);
}
