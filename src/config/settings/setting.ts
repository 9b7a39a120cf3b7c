import { z } from "zod";
import { integerBetween } from "../../validation/fields.js";

/** How the text of a flag or environment variable is converted to a value. */
export type TextForm = "text" | "integer" | "switch" | "list";

/** A setting, with its flag, environment variable and configuration key. */
export interface Setting {
  readonly schema: z.ZodType;
  readonly form: TextForm;
  /** Placeholder of the value in the help; absent for switches. */
  readonly placeholder?: string;
  readonly help: string;
  /** Values that are never printed. */
  readonly secret?: boolean;
}

export const positiveInteger = () => integerBetween(1, Number.MAX_SAFE_INTEGER);

/** An integer, or the word `auto`. */
export const orAuto = (schema: ReturnType<typeof integerBetween>, min: number) =>
  z.union([schema, z.literal("auto")], {
    error: `expected an integer of at least ${min}, or auto`,
  });
