import { z } from "zod";
import { createRefusal } from "../../core/errors.js";
import { formatReason } from "../../core/format-reason.js";
import { exceeds, JSON_LIMITS, measureJsonSize } from "../../core/json-size.js";
import type { OutputConstraint, RequestedConstraint } from "../../core/output-constraint.js";
import { boundedArray } from "../../validation/bounded-collections.js";
import { nonEmptyText, oneOf, text, trueOrFalse } from "../../validation/fields.js";

const MAX_CHOICES = 10_000;

const jsonSchema = z.union([z.boolean(), z.record(z.string(), z.unknown())], {
  error: "expected a JSON schema",
});

/** A JSON schema, or its text: vLLM's clients send either. */
const jsonSchemaOrText = z.union([jsonSchema, nonEmptyText()], {
  error: "expected a JSON schema, or its text",
});

const choices = boundedArray(
  z
    .array(nonEmptyText(), { error: "expected an array of strings" })
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
      schema: jsonSchema
        .nullish()
        .meta({ description: "The schema, where llama.cpp's clients put it." }),
    },
    { error: "expected an object" },
  )
  .meta({
    id: "ResponseFormat",
    description: "Format of the completion. A schema is always enforced, even without `strict`.",
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
  .meta({ id: "StructuredOutputs", description: "One constraint (vLLM)." });

/**
 * Output constraint fields of OpenAI, llama.cpp and vLLM, of which a request sets at most one.
 * Returns new schema instances on each call.
 */
export const constraintFields = () => ({
  response_format: responseFormat.optional(),
  json_schema: jsonSchema.optional().meta({ description: "A JSON schema (llama.cpp)." }),
  grammar: text().optional().meta({ description: "A GBNF grammar (llama.cpp)." }),
  structured_outputs: structuredOutputs.optional(),
  guided_json: jsonSchemaOrText.optional().meta({ description: "A JSON schema (vLLM)." }),
  guided_regex: nonEmptyText()
    .optional()
    .meta({ description: "A regular expression that the whole completion matches (vLLM)." }),
  guided_choice: choices
    .optional()
    .meta({ description: "The completion is exactly one of these texts (vLLM)." }),
  guided_grammar: nonEmptyText().optional().meta({ description: "A GBNF grammar (vLLM)." }),
});

type ConstraintFields = z.output<z.ZodObject<ReturnType<typeof constraintFields>>>;

const ANY_OBJECT: OutputConstraint = { type: "json-schema", schema: { type: "object" } };

/**
 * Translates the constraint fields of a request to an output constraint.
 * @returns `undefined`: unconstrained
 * @throws {GgufdError} `invalid_request` for more than one constraint
 */
export function toConstraint(body: ConstraintFields): RequestedConstraint | undefined {
  const [constraint, other] = collectConstraints(body);
  if (constraint !== undefined && other !== undefined) {
    const reason = `expected one constraint, got ${constraint.field} as well`;
    throw createRefusal("invalid_request", [{ field: other.field, reason }]);
  }
  return constraint;
}

function collectConstraints(body: ConstraintFields): readonly RequestedConstraint[] {
  const { response_format: format, structured_outputs: structured } = body;
  return [
    ...toResponseFormatConstraints(format),
    ...toSchemaConstraints("json_schema", body.json_schema),
    ...toGrammarConstraints("grammar", body.grammar),
    ...toSchemaConstraints("structured_outputs.json", structured?.json),
    ...(structured?.json_object
      ? [{ field: "structured_outputs.json_object", constraint: ANY_OBJECT }]
      : []),
    ...toPatternConstraints("structured_outputs.regex", structured?.regex),
    ...toChoiceConstraints("structured_outputs.choice", structured?.choice),
    ...toGrammarConstraints("structured_outputs.grammar", structured?.grammar),
    ...toSchemaConstraints("guided_json", body.guided_json),
    ...toPatternConstraints("guided_regex", body.guided_regex),
    ...toChoiceConstraints("guided_choice", body.guided_choice),
    ...toGrammarConstraints("guided_grammar", body.guided_grammar),
  ];
}

function toResponseFormatConstraints(
  format: ConstraintFields["response_format"],
): readonly RequestedConstraint[] {
  if (format === undefined || format.type === "text") return [];
  const field = "response_format";
  const inner = format.json_schema?.schema;
  if (inner !== undefined && inner !== null) {
    return toSchemaConstraints(`${field}.json_schema.schema`, inner);
  }
  if (format.schema !== undefined && format.schema !== null) {
    return toSchemaConstraints(`${field}.schema`, format.schema);
  }
  if (format.type === "json_schema" && !format.json_schema) {
    const reason = "expected an object with a schema, got nothing";
    throw createRefusal("invalid_request", [{ field: `${field}.json_schema`, reason }]);
  }
  return [{ field, constraint: ANY_OBJECT }];
}

type Schema = ConstraintFields["guided_json"] | null;

function toSchemaConstraints(field: string, schema: Schema): readonly RequestedConstraint[] {
  if (schema === undefined || schema === null) return [];
  const parsed = typeof schema === "string" ? parseSchema(field, schema) : schema;
  return [{ field, constraint: { type: "json-schema", schema: parsed } }];
}

/**
 * Parses a schema sent as a string. The JSON limits are checked here, because the body parser
 * counts the string as one value.
 */
function parseSchema(field: string, text: string): unknown {
  if (exceeds(measureJsonSize(Buffer.from(text), JSON_LIMITS), JSON_LIMITS)) {
    const { depth, values, members } = JSON_LIMITS;
    const reason = `expected a JSON schema of at most ${depth} levels, ${values} values and ${members} members of an object, got more`;
    throw createRefusal("invalid_request", [{ field, reason }]);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = `expected a JSON schema, or its text: ${formatReason(error)}`;
    throw createRefusal("invalid_request", [{ field, reason }]);
  }
}

function toPatternConstraints(field: string, pattern: string | null | undefined) {
  return pattern ? [{ field, constraint: { type: "regex", pattern } as const }] : [];
}

function toChoiceConstraints(field: string, options: readonly string[] | null | undefined) {
  return options ? [{ field, constraint: { type: "choice", options } as const }] : [];
}

/**
 * Parses a grammar. An empty string means no grammar, because llama.cpp's clients send one by
 * default.
 */
function toGrammarConstraints(field: string, text: string | null | undefined) {
  return text ? [{ field, constraint: { type: "gbnf", text } as const }] : [];
}
