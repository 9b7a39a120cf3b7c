import { formatReason } from "../core/format-reason.js";
import type { RequestedConstraint } from "../core/output-constraint.js";
import { StartupError } from "../core/startup-error.js";
import { readRegularFile } from "../files/regular-files.js";
import type { GenerationModelSpec } from "./model-spec.js";
import { flagOf, type SettingName } from "./settings.js";

/** Maximum file size; the longest templates and schemas have some tens of thousands of bytes. */
const MAX_BYTES = 1024 * 1024;

/**
 * Returns the Jinja chat template that overrides the one in the model's file, if any.
 * @throws {StartupError} the template file cannot be read
 */
export function readChatTemplate({
  chatTemplate,
  chatTemplateFile: path,
}: Pick<GenerationModelSpec, "chatTemplate" | "chatTemplateFile">): string | undefined {
  if (chatTemplate !== undefined || path === undefined) return chatTemplate;
  return readSettingFile("chatTemplateFile", path);
}

/**
 * Returns the constraint on answers to requests without one, if any.
 * @throws {StartupError} the file of the grammar or schema cannot be read, or is no JSON object
 */
export function readDefaultConstraint({
  grammar,
  grammarFile,
  jsonSchema,
  jsonSchemaFile,
}: Pick<GenerationModelSpec, "grammar" | "grammarFile" | "jsonSchema" | "jsonSchemaFile">):
  | RequestedConstraint
  | undefined {
  if (grammar !== undefined) {
    return { field: flagOf("grammar"), constraint: { type: "gbnf", text: grammar } };
  }
  if (grammarFile !== undefined) {
    const text = readSettingFile("grammarFile", grammarFile);
    return { field: flagOf("grammarFile"), constraint: { type: "gbnf", text } };
  }
  if (jsonSchema !== undefined) {
    return { field: flagOf("jsonSchema"), constraint: { type: "json-schema", schema: jsonSchema } };
  }
  if (jsonSchemaFile === undefined) return undefined;
  const schema = parseSchema(jsonSchemaFile, readSettingFile("jsonSchemaFile", jsonSchemaFile));
  return { field: flagOf("jsonSchemaFile"), constraint: { type: "json-schema", schema } };
}

function parseSchema(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StartupError(
      `${flagOf("jsonSchemaFile")} ${path}: expected JSON: ${formatReason(error)}`,
      error,
    );
  }
}

function readSettingFile(name: SettingName, path: string): string {
  try {
    return readRegularFile(path, MAX_BYTES).toString("utf8");
  } catch (error) {
    throw new StartupError(
      `${flagOf(name)} ${path}: cannot be read: ${formatReason(error)}`,
      error,
    );
  }
}
