import type { z } from "zod";
import type { ToolDefinition } from "../../core/generation-request.js";
import { nonEmptyText, oneOf } from "../../validation/fields.js";

/** The member of a custom tool's arguments that is its input. */
const CUSTOM_INPUT = "input";

/** The fields of a custom tool's grammar. */
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
  /** The name that the model is given. */
  readonly name: string;
  readonly description?: string | null | undefined;
  /** Absent: its input is any text. */
  readonly grammar: CustomGrammar | undefined;
  /** The request's field that holds the grammar's definition. */
  readonly definitionField: string;
}

/** A custom tool as the model is given it: a function with one argument, which is the input. */
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
    // Otherwise the arguments that the model writes may lack the input.
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

/** Models can only call functions with named arguments, so the input is one of these. */
function customParameters(grammar: CustomGrammar | undefined): Readonly<Record<string, unknown>> {
  return {
    type: "object",
    properties: { [CUSTOM_INPUT]: { type: "string", ...inputKeywords(grammar) } },
    required: [CUSTOM_INPUT],
    additionalProperties: false,
  };
}

/** The part of the argument's schema that describes a grammar to the model. */
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

const BEGINNING = new RegExp(`^\\s*\\{\\s*"${CUSTOM_INPUT}"\\s*:\\s*"`);

const HIGH_SURROGATE = "\\\\u[dD][89abAB][0-9a-fA-F]{2}";

/** The content of a JSON string up to its end, or up to an escape or a surrogate pair that is not complete yet. */
const STRING_TEXT = new RegExp(
  `^(?:[^"\\\\\ud800-\udbff]|[\ud800-\udbff](?=[^])|\\\\[^u]` +
    `|${HIGH_SURROGATE}\\\\u[0-9a-fA-F]{4}|${HIGH_SURROGATE}(?=[^\\\\]|\\\\[^u])` +
    `|\\\\u(?![dD][89abAB])[0-9a-fA-F]{4})*`,
);

/** Reads the input of a custom tool from arguments that come in pieces: the text of their only member. */
export class CustomInputReader {
  #unread = "";
  #state: "before" | "inside" | "after" = "before";

  /** @returns what the next piece of the arguments adds to the input */
  read(piece: string): string {
    this.#unread += piece;
    if (this.#state === "before") {
      const beginning = BEGINNING.exec(this.#unread)?.[0];
      if (beginning === undefined) return "";
      this.#unread = this.#unread.slice(beginning.length);
      this.#state = "inside";
    }
    if (this.#state === "after") return "";
    const complete = STRING_TEXT.exec(this.#unread)?.[0] ?? "";
    if (this.#unread.charAt(complete.length) === '"') this.#state = "after";
    this.#unread = this.#unread.slice(complete.length);
    return JSON.parse(`"${complete}"`) as string;
  }
}

/** The input in arguments that are complete, or cut off by a token limit. */
export function customInput(written: string): string {
  return new CustomInputReader().read(written);
}
