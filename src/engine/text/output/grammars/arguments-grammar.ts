import type { ToolDefinition } from "../../../../core/generation-request.js";
import type { JsonType } from "../../../../core/output-format.js";
import type {
  ArgumentSet,
  ParameterValues,
  PlainTextOf,
} from "../../../../grammar/argument-set.js";
import {
  type CodePointRange,
  character,
  choice,
  complement,
  EMPTY,
  type GrammarNode,
  intersection,
  optional,
  repeat,
  sequence,
  text,
  words,
} from "../../../../grammar/grammar.js";
import { WHITE_SPACE } from "../../../../grammar/language/code-point-set.js";
import type {
  ArgumentsSyntax,
  ElementsSyntax,
  ParameterPart,
  ParametersSyntax,
} from "../conventions/convention.js";
import { toReadableTool } from "../readable-tool.js";
import { type IsControlToken, literal } from "./control-marks.js";

/** The grammars of a tool's arguments. */
export interface ArgumentsGrammarOptions {
  /** Returns the grammar of the arguments as a JSON object. */
  readonly argumentsOf: (tool: ToolDefinition) => GrammarNode;
  /** Returns the grammars of the arguments for families that write each parameter separately. */
  readonly argumentSetsOf: (
    tool: ToolDefinition,
    plainTextOf: PlainTextOf,
  ) => readonly ArgumentSet[];
  readonly isControlToken: IsControlToken;
}

/** Returns the types that the parser accepts for a parameter's value; `undefined` for any. */
type TypesOf = (parameter: string) => readonly JsonType[] | undefined;

/** Builds the grammar of a call's arguments. Parameters come in the order of the tool's schema. */
export function argumentsNode(
  syntax: ArgumentsSyntax,
  tool: ToolDefinition,
  options: ArgumentsGrammarOptions,
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
        sequence(text(`${name}:`), buildEither(strings && sequence(quote, strings, quote), others));
      const plainTextOf = () => plainText({ without: [syntax.quote], notReadAs: [] });
      const pairs = parameters(tool, options, { separator: ",", textOf, plainTextOf });
      return sequence(text("{"), pairs, text("}"));
    }
  }
}

/** How a syntax writes parameters. */
interface ParameterSyntax {
  readonly separator: string;
  readonly textOf: (parameter: ParameterValues) => GrammarNode;
  readonly plainTextOf: (parameter: string) => GrammarNode;
}

function parameters(
  tool: ToolDefinition,
  options: ArgumentsGrammarOptions,
  { separator, textOf, plainTextOf }: ParameterSyntax,
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

/** Builds framed parameters: strings as text, other values as JSON. */
function framedParameters(
  syntax: ParametersSyntax,
  tool: ToolDefinition,
  options: ArgumentsGrammarOptions,
): GrammarNode {
  const typesOf = buildTypeLookup(tool);
  const hasKindPart = syntax.open.some((part) => typeof part !== "string" && part.part === "kind");
  return parameters(tool, options, {
    separator: "",
    textOf: (parameter) => buildFramedParameter(syntax, parameter, typesOf, options),
    plainTextOf: (name) =>
      plainText({
        without: [syntax.close],
        notReadAs: hasKindPart ? [] : withoutString(typesOf(name)),
        notBeginningWith: syntax.quote?.open,
      }),
  });
}

/**
 * Builds tagged parameters. Values other than strings are written as JSON within the parameter's
 * tag.
 */
function elements(
  { mark }: ElementsSyntax,
  tool: ToolDefinition,
  options: ArgumentsGrammarOptions,
): GrammarNode {
  const typesOf = buildTypeLookup(tool);
  const tag = (opening: string, name: string) =>
    sequence(literal(mark + opening, options.isControlToken), text(`${name}>`));
  return parameters(tool, options, {
    separator: "",
    textOf: ({ name, strings, others }) =>
      sequence(tag("<", name), buildEither(strings, others), tag("</", name)),
    plainTextOf: (name) => plainText({ without: [mark], notReadAs: withoutString(typesOf(name)) }),
  });
}

function buildTypeLookup(tool: ToolDefinition): TypesOf {
  const readable = new Map(
    toReadableTool(tool).parameters.map(({ name, types }) => [name, types] as const),
  );
  return (name) => readable.get(name);
}

const NOT_STRING: readonly JsonType[] = ["number", "boolean", "null", "object", "array"];

function withoutString(types: readonly JsonType[] = NOT_STRING): readonly JsonType[] {
  return types.filter((type) => type !== "string");
}

function buildFramedParameter(
  { open, padding, close, after }: ParametersSyntax,
  { name, strings, others }: ParameterValues,
  typesOf: TypesOf,
  { isControlToken }: ArgumentsGrammarOptions,
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
      mark(after),
    );
  const statesKind = open.some((part) => typeof part !== "string" && part.part === "kind");
  if (!statesKind) return frame("string", buildEither(strings, others));
  return buildEither(strings && frame("string", strings), others && frame("json", others));
}

/** Returns a choice between the defined nodes. */
function buildEither(one: GrammarNode | undefined, other: GrammarNode | undefined): GrammarNode {
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
  const possibleWords = part.json.filter((word) => types?.some((type) => type === word));
  return words(possibleWords.length === 0 ? part.json : possibleWords);
}

export interface PlainTextLimits {
  /** Texts that must not occur. */
  readonly without: readonly string[];
  /** JSON types that the parser would mistake the text for. */
  readonly notReadAs: readonly JsonType[];
  readonly notBeginningWith?: string | undefined;
}

/** Builds the grammar of texts that can be written verbatim and are parsed as strings. */
function plainText({ without, notReadAs, notBeginningWith }: PlainTextLimits): GrammarNode {
  const verbatimTexts: GrammarNode = {
    type: "without",
    ends: without.map((mark) => ({ type: "text", text: mark })),
  };
  const excludedTexts = [
    ...(notBeginningWith === undefined ? [] : [sequence(text(notBeginningWith), ANYTHING)]),
    ...(notReadAs.length === 0
      ? []
      : [sequence(SPACE, choice(...notReadAs.map((type) => readAs(type))), SPACE)]),
  ];
  return intersection(verbatimTexts, ...excludedTexts.map(complement));
}

const ANYTHING: GrammarNode = { type: "without", ends: [] };

/** White space that parsers drop around values. */
const SPACE = repeat(character(...WHITE_SPACE), 0);

const DIGIT: CodePointRange = [0x30, 0x39];
const DIGITS = repeat(character(DIGIT), 1);
const NUMBER = sequence(
  optional(text("-")),
  choice(text("0"), sequence(character([0x31, 0x39]), repeat(character(DIGIT), 0))),
  optional(sequence(text("."), DIGITS)),
  optional(sequence(words(["e", "E"]), optional(words(["+", "-"])), DIGITS)),
);

/**
 * Builds a superset of the texts that are parsed as values of a type, in JSON's and Python's
 * spelling.
 */
function readAs(type: JsonType): GrammarNode {
  switch (type) {
    case "null":
      return words(["null", "None"]);
    case "boolean":
      return words(["true", "false", "True", "False"]);
    case "number":
      return NUMBER;
    case "array":
      return sequence(words(["[", "("]), ANYTHING);
    case "object":
      return sequence(text("{"), ANYTHING);
    case "string":
      return words([]);
  }
}

/** Any text: a quoted literal has no marks to avoid. */
const NO_MARKS = plainText({ without: [], notReadAs: [] });
