import type { z } from "zod";
import type { ModelKind } from "../core/model-directory.js";

/** How the text of a flag or environment variable is converted to a value. */
export type TextForm = "text" | "integer" | "number" | "switch" | "list";

/** What a setting is a fact of: the server, or each model of these kinds. */
export type FactOf = "server" | readonly [ModelKind, ...ModelKind[]];

/** Of a fact that models of all kinds have. */
export const everyModel = ["generation", "embedding", "reranking"] as const satisfies FactOf;

/** A setting, with its flag, environment variable and configuration key. */
export interface Setting {
  readonly schema: z.ZodType;
  /** A fact of a model is a field of its `ModelSpec`, where all that need it read it. */
  readonly factOf: FactOf;
  readonly form: TextForm;
  /** Placeholder of the value in the help; absent for switches. */
  readonly placeholder?: string;
  readonly help: string;
  /** Values that are never printed. */
  readonly secret?: boolean;
}
