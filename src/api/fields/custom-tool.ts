import type { z } from "zod";
import type { ToolDefinition } from "../../core/generation-request.js";
import { nonEmptyText, oneOf } from "../../validation/fields.js";

/** Name of the only argument of a custom tool, which holds its input. */
const CUSTOM_INPUT = "input";

export const customGrammarFields = {
  syntax: oneOf(["lark", "regex"]),
  definition: nonEmptyText(),
};

/** Grammar that constrains the input of a custom tool. */
export type CustomGrammar = {
  readonly [Field in keyof typeof customGrammarFields]: z.output<
    (typeof customGrammarFields)[Field]
  >;
};

/** Custom tool, independent of the API that defines it. */
export interface AnyCustomTool {
  /** Name under which the model sees the tool. */
  readonly name: string;
  readonly description?: string | null | undefined;
  /** Absent: the input is unconstrained. */
  readonly grammar: CustomGrammar | undefined;
  /** Request field that holds the grammar's definition. */
  readonly definitionField: string;
}

/** Translates a custom tool to a function with one argument, the input, for the model. */
export function toCustomDefinition({
  name,
  description,
  grammar,
  definitionField,
}: AnyCustomTool): ToolDefinition {
  return {
    name,
    description: description ?? undefined,
    parameters: buildCustomParameters(grammar),
    parametersField: definitionField,
    // Without strict mode, the model may omit the input.
    strict: true,
    ...(grammar?.syntax === "lark" && {
      larkParameter: { name: CUSTOM_INPUT, grammar: grammar.definition },
    }),
  };
}

/** Encodes an input as the JSON arguments of a custom tool. */
export function toCustomArguments(input: string): string {
  return JSON.stringify({ [CUSTOM_INPUT]: input });
}

/**
 * Builds the schema of a custom tool's arguments. The input is a named argument, because models can
 * only call functions with named arguments.
 */
function buildCustomParameters(
  grammar: CustomGrammar | undefined,
): Readonly<Record<string, unknown>> {
  return {
    type: "object",
    properties: { [CUSTOM_INPUT]: { type: "string", ...buildInputKeywords(grammar) } },
    required: [CUSTOM_INPUT],
    additionalProperties: false,
  };
}

/** Builds the JSON schema keywords that describe an input's grammar to the model. */
function buildInputKeywords(grammar: CustomGrammar | undefined): Readonly<Record<string, string>> {
  switch (grammar?.syntax) {
    case "regex":
      return { pattern: `^(?:${grammar.definition})$` };
    case "lark":
      return { description: `A text of this grammar in Lark's notation:\n${grammar.definition}` };
    case undefined:
      return {};
  }
}

const BEGINNING = new RegExp(`^\\s*\\{\\s*"${CUSTOM_INPUT}"\\s*:\\s*"`);

const HIGH_SURROGATE = "\\\\u[dD][89abAB][0-9a-fA-F]{2}";

/** Content of a JSON string, up to its end or to an incomplete escape or surrogate pair. */
const STRING_TEXT = new RegExp(
  `^(?:[^"\\\\\ud800-\udbff]|[\ud800-\udbff](?=[^])|\\\\[^u]` +
    `|${HIGH_SURROGATE}\\\\u[0-9a-fA-F]{4}|${HIGH_SURROGATE}(?=[^\\\\]|\\\\[^u])` +
    `|\\\\u(?![dD][89abAB])[0-9a-fA-F]{4})*`,
);

/** Decodes the input of a custom tool incrementally, from pieces of its JSON arguments. */
export class CustomInputReader {
  #unread = "";
  #state: "before" | "inside" | "after" = "before";

  /** @returns the text that this piece adds to the input */
  read(piece: string): string {
    this.#unread += piece;
    if (this.#state === "before") {
      const beginning = BEGINNING.exec(this.#unread)?.[0];
      if (beginning === undefined) return "";
      this.#unread = this.#unread.slice(beginning.length);
      this.#state = "inside";
    }
    if (this.#state === "after") return "";
    const completeText = STRING_TEXT.exec(this.#unread)?.[0] ?? "";
    if (this.#unread.charAt(completeText.length) === '"') this.#state = "after";
    this.#unread = this.#unread.slice(completeText.length);
    return JSON.parse(`"${completeText}"`) as string;
  }
}

/** Extracts the input of a custom tool from arguments, complete or cut off by a token limit. */
export function readCustomInput(argumentsJson: string): string {
  return new CustomInputReader().read(argumentsJson);
}
