import { refusalOf } from "../../core/errors.js";
import { exceeds, JSON_LIMITS, jsonSizeOf } from "../../core/json-size.js";
import type { OutputConstraint, RequestedConstraint } from "../../core/output-constraint.js";
import { reasonOf } from "../../core/reason-of.js";
import type { ConstraintFields } from "./constraint-schema.js";

/** Any JSON object. */
const ANY_OBJECT: OutputConstraint = { type: "json-schema", schema: { type: "object" } };

/**
 * What the completion must be.
 * @returns `undefined`: any text
 * @throws {GgufdError} `invalid_request` for more than one constraint
 */
export function toConstraint(body: ConstraintFields): RequestedConstraint | undefined {
  const [constraint, other] = constraintsOf(body);
  if (constraint !== undefined && other !== undefined) {
    const reason = `expected one constraint, got ${constraint.field} as well`;
    throw refusalOf("invalid_request", [{ field: other.field, reason }]);
  }
  return constraint;
}

function constraintsOf(body: ConstraintFields): readonly RequestedConstraint[] {
  const { response_format: format, structured_outputs: structured } = body;
  return [
    ...responseFormat(format),
    ...schemaIn("json_schema", body.json_schema),
    ...grammarIn("grammar", body.grammar),
    ...schemaIn("structured_outputs.json", structured?.json),
    ...(structured?.json_object
      ? [{ field: "structured_outputs.json_object", constraint: ANY_OBJECT }]
      : []),
    ...patternIn("structured_outputs.regex", structured?.regex),
    ...choiceIn("structured_outputs.choice", structured?.choice),
    ...grammarIn("structured_outputs.grammar", structured?.grammar),
    ...schemaIn("guided_json", body.guided_json),
    ...patternIn("guided_regex", body.guided_regex),
    ...choiceIn("guided_choice", body.guided_choice),
    ...grammarIn("guided_grammar", body.guided_grammar),
  ];
}

function responseFormat(
  format: ConstraintFields["response_format"],
): readonly RequestedConstraint[] {
  if (format === undefined || format.type === "text") return [];
  const field = "response_format";
  const inner = format.json_schema?.schema;
  if (inner !== undefined && inner !== null) {
    return schemaIn(`${field}.json_schema.schema`, inner);
  }
  if (format.schema !== undefined && format.schema !== null) {
    return schemaIn(`${field}.schema`, format.schema);
  }
  if (format.type === "json_schema" && !format.json_schema) {
    const reason = "expected an object with a schema, got nothing";
    throw refusalOf("invalid_request", [{ field: `${field}.json_schema`, reason }]);
  }
  return [{ field, constraint: ANY_OBJECT }];
}

type Schema = ConstraintFields["guided_json"] | null;

function schemaIn(field: string, schema: Schema): readonly RequestedConstraint[] {
  if (schema === undefined || schema === null) return [];
  const parsed = typeof schema === "string" ? parsedSchema(field, schema) : schema;
  return [{ field, constraint: { type: "json-schema", schema: parsed } }];
}

/** The limits are those of bodies, which measure no strings: the text of a schema is one. */
function parsedSchema(field: string, text: string): unknown {
  if (exceeds(jsonSizeOf(Buffer.from(text), JSON_LIMITS), JSON_LIMITS)) {
    const { depth, values, members } = JSON_LIMITS;
    const reason = `expected a JSON schema of at most ${depth} levels, ${values} values and ${members} members of an object, got more`;
    throw refusalOf("invalid_request", [{ field, reason }]);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = `expected a JSON schema, or its text: ${reasonOf(error)}`;
    throw refusalOf("invalid_request", [{ field, reason }]);
  }
}

function patternIn(field: string, pattern: string | null | undefined) {
  return pattern ? [{ field, constraint: { type: "regex", pattern } as const }] : [];
}

function choiceIn(field: string, options: readonly string[] | null | undefined) {
  return options ? [{ field, constraint: { type: "choice", options } as const }] : [];
}

/** An empty text is no grammar to llama.cpp's clients. */
function grammarIn(field: string, text: string | null | undefined) {
  return text ? [{ field, constraint: { type: "gbnf", text } as const }] : [];
}
