import type { ResultKind } from "../core/batch-activity.js";
import type { LineAnswer } from "./retry-policy.js";

/** Result of a line. */
export type LineOutcome =
  | { readonly type: "answered"; readonly answer: LineAnswer }
  | { readonly type: "canceled" }
  | { readonly type: "expired" };

export interface PrintedResult {
  readonly file: "output" | "errors";
  readonly kind: ResultKind;
  /** One line without a line break. */
  readonly text: string;
}

/** Form of the results of a dialect. */
export interface ResultFormat {
  /** @returns `undefined` if the dialect lists no such results */
  print(customId: string, outcome: LineOutcome): PrintedResult | undefined;
  /** Reads a printed result; `undefined`: the value is none. */
  parse(value: unknown): { readonly customId: string; readonly kind: ResultKind } | undefined;
}
