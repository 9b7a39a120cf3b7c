import { z } from "zod";
import { boundedArray } from "../../validation/bounded-collections.js";
import { nonEmptyText, oneOf, text } from "../../validation/fields.js";

const MAX_FUNCTIONS = 1_000;

/** What is said of a function, as a tool or not. */
export const functionFields = {
  name: z
    .string({ error: "expected a string" })
    .regex(/^[\w.-]{1,64}$/, { error: "expected 1 to 64 letters, digits, _, . or -" }),
  description: text().nullish(),
  parameters: z
    .record(z.string(), z.unknown(), { error: "expected a JSON schema" })
    .nullish()
    .meta({ description: "The JSON schema of the arguments." }),
};

/** A function with the arguments that the assistant called it with. */
export const calledFunction = z.looseObject(
  {
    name: nonEmptyText(),
    arguments: text().meta({ description: "JSON in a string." }),
  },
  { error: "expected an object" },
);

/** OpenAI's fields from before there were tools. */
export const functionCallFields = {
  functions: boundedArray(
    z.array(
      z
        .looseObject(functionFields, { error: "expected an object" })
        .meta({ id: "Function", description: "A function that the model may call." }),
      { error: "expected an array of functions" },
    ),
    { max: MAX_FUNCTIONS, of: "functions" },
  )
    .optional()
    .meta({ description: "The older form of tools, and not beside them.", deprecated: true }),
  function_call: z
    .union([oneOf(["none", "auto"]), z.looseObject({ name: nonEmptyText() })], {
      error: 'expected "none", "auto" or {"name":…}',
    })
    .optional()
    .meta({
      description:
        "Whether the model may or must call a function, and which. Default: auto, with functions.",
      deprecated: true,
    }),
};
