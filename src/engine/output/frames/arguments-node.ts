import type { ToolDefinition } from "../../../core/generation-request.js";
import type { GrammarNode, NamedMember } from "../../../core/grammar.js";
import { choice, repeat, sequence, words } from "../../../core/grammar-nodes.js";
import type { JsonType } from "../../../core/output-format.js";
import type {
  ArgumentsSyntax,
  ParameterPart,
  ParametersSyntax,
} from "../conventions/convention.js";
import { readableTool } from "../readable-tool.js";
import type { CallGrammarOptions } from "./call-grammar-options.js";
import { type IsControlToken, literal, triggerOf } from "./control-marks.js";

/** A parameter of a tool. */
interface Parameter {
  readonly name: string;
  readonly schema: unknown;
  readonly presence: NamedMember["presence"];
  /** Types that its value may have; absent: any. */
  readonly types: readonly JsonType[] | undefined;
}

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
      return sequence(
        ...parametersOf(tool).map((parameter) => {
          const node = framedParameter(syntax, parameter, options);
          return parameter.presence === "required" ? node : repeat(node, 0, 1);
        }),
      );
    case "keywords":
      return members(parametersOf(tool), ", ", ({ name, schema }) =>
        sequence(words([`${name}=`]), options.valueGrammarOf(schema)),
      );
    case "marked-object":
      return sequence(
        words(["{"]),
        members(parametersOf(tool), ",", (parameter) =>
          sequence(words([`${parameter.name}:`]), markedValue(syntax.quote, parameter, options)),
        ),
        words(["}"]),
      );
  }
}

function parametersOf(tool: ToolDefinition): readonly Parameter[] {
  const { properties, required } = tool.parameters ?? {};
  if (typeof properties !== "object" || properties === null) return [];
  const { parameters } = readableTool(tool);
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    presence: names.includes(name) ? "required" : "optional",
    types: parameters.find((parameter) => parameter.name === name)?.types,
  }));
}

function members(
  parameters: readonly Parameter[],
  separator: string,
  textOf: (parameter: Parameter) => GrammarNode,
): GrammarNode {
  return {
    type: "members",
    named: parameters.map((parameter) => ({
      presence: parameter.presence,
      text: textOf(parameter),
    })),
    additional: [],
    separator: words([separator]),
    min: 0,
  };
}

/** A parameter as text where it may be a string, as JSON where its frame says so or it may not. */
function framedParameter(
  syntax: ParametersSyntax,
  parameter: Parameter,
  options: CallGrammarOptions,
): GrammarNode {
  const { isControlToken } = options;
  const { open, padding, close, behind } = syntax;
  const text = (value: string) => literal(value, isControlToken);
  const frame = (kind: "string" | "json", value: GrammarNode) =>
    sequence(
      ...open.map((part) => openingPart(part, parameter, kind, isControlToken)),
      text(padding),
      value,
      text(behind),
    );
  const { types, schema } = parameter;
  const asText = frame("string", textUntil(close, padding, schema, isControlToken));
  const asJson = frame("json", sequence(options.valueGrammarOf(schema), text(padding + close)));
  if (types?.includes("string") === false) return asJson;
  const tellsKinds = open.some((part) => typeof part !== "string" && part.part === "kind");
  return tellsKinds && types?.length !== 1 ? choice(asText, asJson) : asText;
}

function openingPart(
  part: ParameterPart,
  { name, types }: Parameter,
  kind: "string" | "json",
  isControlToken: IsControlToken,
): GrammarNode {
  if (typeof part === "string") return literal(part, isControlToken);
  if (part.part === "key") return words([name]);
  if (kind === "string") return words([part.string]);
  const possible = part.json.filter((word) => types?.some((type) => type === word));
  return words(possible.length === 0 ? part.json : possible);
}

function markedValue(
  quote: string,
  { schema, types }: Parameter,
  options: CallGrammarOptions,
): GrammarNode {
  const { isControlToken } = options;
  if (types?.length !== 1 || types[0] !== "string") return options.valueGrammarOf(schema);
  return sequence(literal(quote, isControlToken), textUntil(quote, "", schema, isControlToken));
}

/** Text up to and including a mark: one of the schema's values if it enumerates them, or any. */
function textUntil(
  mark: string,
  padding: string,
  schema: unknown,
  isControlToken: IsControlToken,
): GrammarNode {
  const values = enumeratedTexts(schema);
  if (values !== undefined) {
    return sequence(words(values), literal(padding + mark, isControlToken));
  }
  return sequence(
    { type: "without", ends: [triggerOf(mark, isControlToken)] },
    literal(mark, isControlToken),
  );
}

function enumeratedTexts(schema: unknown): readonly string[] | undefined {
  if (typeof schema !== "object" || schema === null) return undefined;
  const values = "const" in schema ? [schema.const] : "enum" in schema ? schema.enum : undefined;
  if (!Array.isArray(values)) return undefined;
  return values.map((value: unknown) =>
    typeof value === "string" ? value : JSON.stringify(value),
  );
}
