import type { ArgumentSet, ParameterValues, PlainTextOf } from "../../../core/argument-set.js";
import type { ToolDefinition } from "../../../core/generation-request.js";
import type { GrammarNode } from "../../../core/grammar.js";
import { lexeme } from "../../../core/grammar-nodes.js";
import { isJsonObject } from "../../../core/json-object.js";
import { readableTool } from "../readable-tool.js";

/**
 * Arguments that are held to the names of a tool's parameters and to the types of their reader, of which a
 * string is one or the only one.
 * @param anyValue in JSON
 */
export function freeArguments(
  tool: ToolDefinition,
  plainTextOf: PlainTextOf,
  anyValue: GrammarNode,
): ArgumentSet {
  const { properties, required } = tool.parameters ?? {};
  const readable = readableTool(tool).parameters;
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  const parameters = Object.keys(isJsonObject(properties) ? properties : {}).map(
    (name): ParameterValues => {
      const types = readable.find((parameter) => parameter.name === name)?.types;
      const mayBeString = types?.includes("string") ?? true;
      return {
        name,
        presence: names.includes(name) ? "required" : "optional",
        strings: mayBeString ? lexeme(plainTextOf(name)) : undefined,
        others: mayBeString && types?.length === 1 ? undefined : anyValue,
        json: anyValue,
      };
    },
  );
  return { parameters, min: 0 };
}
