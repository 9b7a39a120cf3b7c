import { z } from "zod";
import { boundedArray } from "../../validation/bounded-collections.js";
import { integerBetween, numberBetween, text } from "../../validation/fields.js";
import { optional } from "./optional-field.js";

const UNBOUNDED = Number.POSITIVE_INFINITY;
/** Each is looked for in every piece of text. */
const MAX_STOP_TEXTS = 64;

const stop = z.union(
  [text(), boundedArray(z.array(text()), { max: MAX_STOP_TEXTS, of: "stop texts" })],
  { error: `expected a string, or at most ${MAX_STOP_TEXTS} of them` },
);

/**
 * `options` of a request: how tokens are drawn, and when the answer ends. What Ollama also has here
 * is ignored where it is about loading a model, and refused where it would change the answer
 * (`unsupported-parameters.ts`).
 */
export const options = z
  .looseObject(
    {
      num_predict: optional(integerBetween(-2, UNBOUNDED)).meta({
        description: "Maximum number of tokens to generate; 0 and below: as many as fit.",
      }),
      stop: optional(stop).meta({
        description: "Texts that end the answer, and are not part of it; empty ones are ignored.",
      }),
      temperature: optional(numberBetween(0, UNBOUNDED)).meta({ description: "0: greedy." }),
      top_k: optional(integerBetween(-1, UNBOUNDED)).meta({ description: "-1 and 0: no limit." }),
      top_p: optional(numberBetween(0, 1)),
      min_p: optional(numberBetween(0, 1)),
      seed: optional(integerBetween(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)).meta({
        description: "-1: another one for each request.",
      }),
      repeat_penalty: optional(numberBetween(0.01, 10)).meta({ description: "1: off." }),
      repeat_last_n: optional(integerBetween(-1, UNBOUNDED)).meta({
        description:
          "Number of last tokens, prompt included, that the penalties apply to; 0: none, -1: all.",
      }),
      presence_penalty: optional(numberBetween(-2, 2)),
      frequency_penalty: optional(numberBetween(-2, 2)),
    },
    { error: "expected an object" },
  )
  .meta({ id: "OllamaOptions", description: "Unknown options are ignored." });

export type OllamaOptions = z.output<typeof options>;
