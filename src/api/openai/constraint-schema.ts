import { z } from "zod";
import { boundedArray } from "../../validation/bounded-collections.js";
import { nonEmptyText, oneOf, text, trueOrFalse } from "../../validation/fields.js";

const MAX_CHOICES = 10_000;

const jsonSchema = z.union([z.boolean(), z.record(z.string(), z.unknown())], {
  error: "expected a JSON schema",
});
/** vLLM's clients send schemas as JSON texts too. */
const jsonSchemaOrText = z.union([jsonSchema, nonEmptyText()], {
  error: "expected a JSON schema, or its text",
});
const choices = boundedArray(
  z
    .array(nonEmptyText(), { error: "expected an array of texts" })
    .min(1, { error: "expected at least one text" }),
  { max: MAX_CHOICES, of: "texts" },
);

const responseFormat = z
  .looseObject(
    {
      type: oneOf(["text", "json_object", "json_schema"]),
      json_schema: z
        .looseObject(
          {
            name: text().nullish(),
            description: text().nullish(),
            schema: jsonSchema.nullish(),
            strict: trueOrFalse().nullish(),
          },
          { error: "expected an object with a schema" },
        )
        .nullish(),
      schema: jsonSchema.nullish().meta({ description: "llama.cpp's place for the schema." }),
    },
    { error: "expected an object" },
  )
  .meta({
    id: "ResponseFormat",
    description: "What the completion must be. Schemas are held exactly, also without strict.",
  });

const structuredOutputs = z
  .looseObject(
    {
      json: jsonSchemaOrText.nullish(),
      json_object: trueOrFalse().nullish(),
      regex: nonEmptyText().nullish(),
      choice: choices.nullish(),
      grammar: nonEmptyText().nullish(),
    },
    { error: "expected an object" },
  )
  .meta({ id: "StructuredOutputs", description: "vLLM's field: one of these constraints." });

/**
 * What a completion must be, in the fields of OpenAI, llama.cpp and vLLM; one of them at most. Made anew for
 * each request.
 */
export const constraintFields = () => ({
  response_format: responseFormat.optional(),
  json_schema: jsonSchema.optional().meta({ description: "llama.cpp's field: a JSON schema." }),
  grammar: text().optional().meta({ description: "llama.cpp's field: a grammar in GBNF." }),
  structured_outputs: structuredOutputs.optional(),
  guided_json: jsonSchemaOrText.optional().meta({ description: "vLLM's field: a JSON schema." }),
  guided_regex: nonEmptyText()
    .optional()
    .meta({ description: "vLLM's field: a regular expression for the whole completion." }),
  guided_choice: choices
    .optional()
    .meta({ description: "vLLM's field: texts, one of which the completion is." }),
  guided_grammar: nonEmptyText()
    .optional()
    .meta({ description: "vLLM's field: a grammar in GBNF." }),
});

export type ConstraintFields = z.output<z.ZodObject<ReturnType<typeof constraintFields>>>;
