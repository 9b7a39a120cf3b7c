import type { z } from "zod";
import type { ModelKind } from "../core/model-directory.js";

/** Conversion of the text of a flag or environment variable to a value. */
export type TextForm = "text" | "integer" | "number" | "switch" | "list";

/** Scope of a setting: the server, or each model of the listed kinds. */
export type FactOf = "server" | readonly [ModelKind, ...ModelKind[]];

/** Scope of settings that apply to models of all kinds. */
export const everyModel = ["generation", "embedding", "reranking"] as const satisfies FactOf;

/** Makes a path absolute. */
export type MapPath = (path: string) => string;

/** Setting, with its flag, environment variable and configuration key. */
export interface Setting {
  readonly schema: z.ZodType;
  readonly factOf: FactOf;
  /**
   * Path of the field of `ModelSpec` that holds the value of a per-model setting.
   * @default the setting's name
   */
  readonly at?: string;
  /**
   * Whether the setting applies only to the model that it is given with, and not to stored models.
   */
  readonly ofOneModel?: true;
  /** Maps the path in a value; absent if its values contain no path. */
  readonly withPath?: (text: string, absolute: MapPath) => string;
  readonly form: TextForm;
  /** Placeholder of the value in the help; absent for switches. */
  readonly placeholder?: string;
  /**
   * Noun phrase or imperative of at most twelve words, followed by the default in parentheses
   * unless it is a plain value.
   */
  readonly help: string;
  /** Additional sentences for docs/configuration.md. */
  readonly details?: string;
  /** Whether its values are secret and never printed. */
  readonly secret?: boolean;
}
