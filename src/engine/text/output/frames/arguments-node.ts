import type { ToolDefinition } from "../../../../core/generation-request.js";
import type { JsonType } from "../../../../core/output-format.js";
import type { ParameterValues } from "../../../../grammar/argument-set.js";
import type { GrammarNode } from "../../../../grammar/grammar.js";
import { choice, EMPTY, sequence, text, words } from "../../../../grammar/grammar-nodes.js";
import type {
  ArgumentsSyntax,
  ElementsSyntax,
  ParameterPart,
  ParametersSyntax,
} from "../conventions/convention.js";
import { readableTool } from "../readable-tool.js";
import type { CallGrammarOptions } from "./call-grammar-options.js";
import { type IsControlToken, literal } from "./control-marks.js";
import { plainText } from "./plain-text.js";

/** Types that a parameter's value may have, as its reader knows them; `undefined`: any. */
type TypesOf = (parameter: string) => readonly JsonType[] | undefined;

/** The arguments of a call of a tool. Parameters come in the order of its schema. */
export function argumentsNode(
  syntax: ArgumentsSyntax,
  tool: ToolDefinition,
  options: CallGrammarOptions,
): GrammarNode {
  switch (syntax.type) {
    case "json":
      return options.argumentsOf(tool);
    case "parameters":
      return framedParameters(syntax, tool, options);
    case "elements":
      return elements(syntax, tool, options);
    case "keywords": {
      const textOf = ({ name, json }: ParameterValues) => sequence(text(`${name}=`), json);
      return parameters(tool, options, { separator: ", ", textOf, plainTextOf: () => NO_MARKS });
    }
    case "marked-object": {
      const quote = literal(syntax.quote, options.isControlToken);
      const textOf = ({ name, strings, others }: ParameterValues) =>
        sequence(text(`${name}:`), eitherOf(strings && sequence(quote, strings, quote), others));
      const plainTextOf = () => plainText({ without: [syntax.quote], notReadAs: [] });
      const inside = parameters(tool, options, { separator: ",", textOf, plainTextOf });
      return sequence(text("{"), inside, text("}"));
    }
  }
}

const NO_MARKS = plainText({ without: [], notReadAs: [] });

/** How a syntax writes parameters. */
interface ParameterWriting {
  readonly separator: string;
  readonly textOf: (parameter: ParameterValues) => GrammarNode;
  readonly plainTextOf: (parameter: string) => GrammarNode;
}

function parameters(
  tool: ToolDefinition,
  options: CallGrammarOptions,
  { separator, textOf, plainTextOf }: ParameterWriting,
): GrammarNode {
  return choice(
    ...options.argumentSetsOf(tool, plainTextOf).map(
      ({ parameters: list, min, max }): GrammarNode => ({
        type: "members",
        named: list.map((parameter) => ({
          presence: parameter.presence,
          text: textOf(parameter),
        })),
        additional: [],
        separator: separator === "" ? EMPTY : text(separator),
        min,
        max,
      }),
    ),
  );
}

/** Strings as text, other values as JSON. */
function framedParameters(
  syntax: ParametersSyntax,
  tool: ToolDefinition,
  options: CallGrammarOptions,
): GrammarNode {
  const typesOf = typesByReader(tool);
  const tellsKinds = syntax.open.some((part) => typeof part !== "string" && part.part === "kind");
  return parameters(tool, options, {
    separator: "",
    textOf: (parameter) => framedParameter(syntax, parameter, typesOf, options),
    plainTextOf: (name) =>
      plainText({
        without: [syntax.close],
        notReadAs: tellsKinds ? [] : withoutString(typesOf(name)),
        notBeginningWith: syntax.quote?.open,
      }),
  });
}

/** Values that are no strings are written as JSON, within the tag of their parameter. */
function elements(
  { mark }: ElementsSyntax,
  tool: ToolDefinition,
  options: CallGrammarOptions,
): GrammarNode {
  const typesOf = typesByReader(tool);
  const tag = (opening: string, name: string) =>
    sequence(literal(mark + opening, options.isControlToken), text(`${name}>`));
  return parameters(tool, options, {
    separator: "",
    textOf: ({ name, strings, others }) =>
      sequence(tag("<", name), eitherOf(strings, others), tag("</", name)),
    plainTextOf: (name) => plainText({ without: [mark], notReadAs: withoutString(typesOf(name)) }),
  });
}

function typesByReader(tool: ToolDefinition): TypesOf {
  const readable = new Map(
    readableTool(tool).parameters.map(({ name, types }) => [name, types] as const),
  );
  return (name) => readable.get(name);
}

const NOT_STRING: readonly JsonType[] = ["number", "boolean", "null", "object", "array"];

function withoutString(types: readonly JsonType[] = NOT_STRING): readonly JsonType[] {
  return types.filter((type) => type !== "string");
}

function framedParameter(
  { open, padding, close, behind }: ParametersSyntax,
  { name, strings, others }: ParameterValues,
  typesOf: TypesOf,
  { isControlToken }: CallGrammarOptions,
): GrammarNode {
  const mark = (value: string) => literal(value, isControlToken);
  const frame = (kind: "string" | "json", value: GrammarNode) =>
    sequence(
      ...open.map((part) =>
        openingPart(part, { name, kind, types: typesOf(name) }, isControlToken),
      ),
      mark(padding),
      value,
      mark(padding + close),
      mark(behind),
    );
  const tellsKinds = open.some((part) => typeof part !== "string" && part.part === "kind");
  if (!tellsKinds) return frame("string", eitherOf(strings, others));
  return eitherOf(strings && frame("string", strings), others && frame("json", others));
}

/** One of two, or the one that there is. */
function eitherOf(one: GrammarNode | undefined, other: GrammarNode | undefined): GrammarNode {
  return choice(...[one, other].filter((node) => node !== undefined));
}

interface Opening {
  readonly name: string;
  readonly kind: "string" | "json";
  readonly types: readonly JsonType[] | undefined;
}

function openingPart(
  part: ParameterPart,
  { name, kind, types }: Opening,
  isControlToken: IsControlToken,
): GrammarNode {
  if (typeof part === "string") return literal(part, isControlToken);
  if (part.part === "key") return words([name]);
  if (kind === "string") return words([part.string]);
  const possible = part.json.filter((word) => types?.some((type) => type === word));
  return words(possible.length === 0 ? part.json : possible);
}
