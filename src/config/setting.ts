import type { z } from "zod";
import type { ModelKind } from "../core/model-directory.js";

/** How the text of a flag or environment variable is converted to a value. */
export type TextForm = "text" | "integer" | "number" | "switch" | "list";

/** What a setting is a fact of: the server, or each model of these kinds. */
export type FactOf = "server" | readonly [ModelKind, ...ModelKind[]];

/** Of a fact that models of all kinds have. */
export const everyModel = ["generation", "embedding", "reranking"] as const satisfies FactOf;

/** Makes a path absolute. */
export type MapPath = (path: string) => string;

/** A setting, with its flag, environment variable and configuration key. */
export interface Setting {
  readonly schema: z.ZodType;
  readonly factOf: FactOf;
  /** Path of the field of `ModelSpec` that has the value of a fact of models. @default the setting's name */
  readonly at?: string;
  /** Whether it holds for the model that it is given with, and for none found on this machine. */
  readonly ofOneModel?: true;
  /** Maps the path in a value. Absent: its values have none. */
  readonly withPath?: (text: string, absolute: MapPath) => string;
  readonly form: TextForm;
  /** Placeholder of the value in the help; absent for switches. */
  readonly placeholder?: string;
  /** A noun phrase or an imperative of at most twelve words; a default that is not a plain value in brackets after it. */
  readonly help: string;
  /** Further sentences for docs/configuration.md. */
  readonly details?: string;
  /** Values that are never printed. */
  readonly secret?: boolean;
}
