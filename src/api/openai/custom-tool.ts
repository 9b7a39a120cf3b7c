import type { z } from "zod";
import type { ToolDefinition } from "../../core/generation-request.js";
import { nonEmptyText, oneOf } from "../../validation/fields.js";

/** The member of a custom tool's arguments that is its input. */
export const CUSTOM_INPUT = "input";

/** What a custom tool's grammar says of its input. */
export const customGrammarFields = {
  syntax: oneOf(["lark", "regex"]),
  definition: nonEmptyText(),
};

/** A grammar that the input of a custom tool is held to. */
export type CustomGrammar = {
  readonly [Field in keyof typeof customGrammarFields]: z.output<
    (typeof customGrammarFields)[Field]
  >;
};

/** A custom tool, whichever API it comes from. */
export interface AnyCustomTool {
  /** By which the model knows it. */
  readonly name: string;
  readonly description?: string | null | undefined;
  /** Absent: its input is any text. */
  readonly grammar: CustomGrammar | undefined;
  /** The request's field that holds the grammar's definition. */
  readonly definitionField: string;
}

/** A custom tool as the model is told of it: a function with one argument, which is the input. */
export function customDefinition({
  name,
  description,
  grammar,
  definitionField,
}: AnyCustomTool): ToolDefinition {
  return {
    name,
    description: description ?? undefined,
    parameters: customParameters(grammar),
    parametersField: definitionField,
    // Otherwise what the model writes may have no input in it.
    strict: true,
    ...(grammar?.syntax === "lark" && {
      larkParameter: { name: CUSTOM_INPUT, grammar: grammar.definition },
    }),
  };
}

/** The arguments of a custom tool that is called with an input. */
export function customArguments(input: string): string {
  return JSON.stringify({ [CUSTOM_INPUT]: input });
}

/** A model's conventions have arguments only: the text is one. */
function customParameters(grammar: CustomGrammar | undefined): Readonly<Record<string, unknown>> {
  return {
    type: "object",
    properties: { [CUSTOM_INPUT]: { type: "string", ...inputKeywords(grammar) } },
    required: [CUSTOM_INPUT],
    additionalProperties: false,
  };
}

/** What the model is told of a grammar, so that it knows what it has to write. */
function inputKeywords(grammar: CustomGrammar | undefined): Readonly<Record<string, string>> {
  switch (grammar?.syntax) {
    case "regex":
      return { pattern: `^(?:${grammar.definition})$` };
    case "lark":
      return { description: `A text of this grammar in Lark's notation:\n${grammar.definition}` };
    case undefined:
      return {};
  }
}
