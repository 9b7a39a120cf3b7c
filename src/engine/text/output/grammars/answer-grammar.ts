import { createHash } from "node:crypto";
import { GgufdError } from "../../../../core/errors.js";
import type {
  ChatGenerationRequest,
  GenerationRequest,
  ToolDefinition,
} from "../../../../core/generation-request.js";
import { isJsonObject } from "../../../../core/json.js";
import type { ToolConvention } from "../../../../core/output-format.js";
import type {
  ArgumentSet,
  ParameterValues,
  PlainTextOf,
} from "../../../../grammar/argument-set.js";
import type { Grammar, GrammarNode } from "../../../../grammar/grammar.js";
import {
  choice,
  EMPTY,
  lexeme,
  optional,
  repeat,
  sequence,
  text,
} from "../../../../grammar/grammar.js";
import type { PreparedGrammar } from "../../../../grammar/grammar-library.js";
import type { Convention } from "../conventions/convention.js";
import { CONVENTIONS } from "../conventions/conventions.js";
import { REASONING_MARKS } from "../conventions/reasoning-marks.js";
import type { OutputReading } from "../output-reading.js";
import { marksOf } from "../parser/calls.js";
import { toReadableTool } from "../readable-tool.js";
import { callGrammar, harmonyFinal, restOfHarmonyMessage } from "./call-grammar.js";
import { type IsControlToken, listEndTriggers, literal } from "./control-marks.js";
import { GrammarRules } from "./grammar-rules.js";

/** The parts of a request that constrain its answer. */
export type AnswerDemands = CallDemands & Pick<GenerationRequest, "constraint" | "reasoningBudget">;

/**
 * Builds the grammar of a request without messages: a text of its constraint.
 * @returns `undefined` if anything is allowed
 * @throws {GgufdError} `invalid_request` for a constraint that cannot be honoured
 */
export function buildTextGrammar(
  constraint: GenerationRequest["constraint"],
): PreparedGrammar | undefined {
  if (constraint === undefined) return undefined;
  const rules = new GrammarRules();
  const root = rules.add(constraint);
  return toPrepared({ root, rules: rules.all });
}

/**
 * Builds the grammar of an answer: reasoning, if the prompt has opened it or the model may open it,
 * followed by calls, by text that satisfies the request's constraint, or by either.
 * @returns `undefined` if anything is allowed
 * @throws {GgufdError} `invalid_request` for a constraint or a tool's schema that cannot be
 *   honoured
 */
export function buildAnswerGrammar(
  demands: AnswerDemands,
  reading: OutputReading,
  isControlToken: IsControlToken,
): PreparedGrammar | undefined {
  const rules = new GrammarRules();
  const root = buildRoot(demands, { reading, rules, isControlToken });
  if (root === undefined) return undefined;
  const grammar: Grammar = {
    root: afterReasoning(root, reading, {
      opening: demands.reasoningBudget?.maxTokens === 0 ? "refused" : "allowed",
      isControlToken,
    }),
    rules: rules.all,
  };
  return toPrepared(grammar);
}

function toPrepared(grammar: Grammar): PreparedGrammar {
  const json = JSON.stringify(grammar);
  return { key: createHash("sha256").update(json).digest("base64"), json };
}

function buildRoot(demands: AnswerDemands, context: CallContext): GrammarNode | undefined {
  const { constraint, prompt, toolUse } = demands;
  const { reading, rules } = context;
  if (toolUse?.demand === "required") return requiredCalls(demands, context);
  if (constraint === undefined) return restrictedCalls(demands, context);
  const constrainedText = rules.add(constraint);
  const content =
    reading.beginsWith === "text" ? constrainedText : withHeader(constrainedText, context);
  if (prompt.tools.length === 0) return content;
  return choice(requiredCalls(demands, context), content);
}

function withHeader(content: GrammarNode, { reading, isControlToken }: CallContext): GrammarNode {
  const { convention } = reading;
  if (CONVENTIONS[convention].calls === "harmony") return harmonyFinal(content, isControlToken);
  return sequence(contentHeader(convention, isControlToken), content);
}

/** Maximum number of line breaks after reasoning. */
const MAX_LINE_BREAKS = 2;
/** Maximum number of marks between reasoning and text: a message header and a content mark. */
const MAX_CONTENT_MARKS = 2;

/**
 * Prepends reasoning to an answer: the rest of reasoning that the prompt has opened, or a whole
 * reasoning block in the family's marks if the model decides to write one.
 * @param opening whether the model may decide
 */
function afterReasoning(
  answer: GrammarNode,
  { beginsWith, convention, reasoning, toolCalls }: OutputReading,
  { opening, isControlToken }: { opening: "allowed" | "refused"; isControlToken: IsControlToken },
): GrammarNode {
  const family = CONVENTIONS[convention];
  if (family.calls === "harmony") {
    return beginsWith === "reasoning"
      ? sequence(restOfHarmonyMessage(isControlToken), answer)
      : answer;
  }
  const { open, close } = REASONING_MARKS[reasoning];
  const ends = [close, ...(toolCalls === "parsed" ? listReasoningEndMarks(family) : [])];
  const rest = sequence(
    { type: "without", ends: ends.flatMap((mark) => listEndTriggers(mark, isControlToken)) },
    literal(close, isControlToken),
    repeat(text("\n"), 0, MAX_LINE_BREAKS),
    contentHeader(convention, isControlToken),
  );
  if (beginsWith === "reasoning") return sequence(rest, answer);
  if (beginsWith !== "optional-reasoning" || opening === "refused") return answer;
  return sequence(optional(sequence(literal(open, isControlToken), rest)), answer);
}

/**
 * Returns the grammar of the marks before an answer's text, if the family has any. They are not
 * part of the text.
 */
function contentHeader(convention: ToolConvention, isControlToken: IsControlToken): GrammarNode {
  const { contentMarks = [], promptOpening } = CONVENTIONS[convention];
  // The prompt ends with the beginning of the mark.
  if (promptOpening !== undefined || contentMarks.length === 0) return EMPTY;
  const marks = contentMarks.map((mark) => literal(mark, isControlToken));
  return repeat(choice(...marks), 0, MAX_CONTENT_MARKS);
}

function listReasoningEndMarks({ calls, callsEndReasoning }: Convention): readonly string[] {
  if (callsEndReasoning === undefined || calls === "harmony") return [];
  return calls.filter(({ place }) => place === "anywhere").flatMap(marksOf);
}

/** The parts of a request that constrain calls. */
type CallDemands = Pick<ChatGenerationRequest, "prompt" | "stopping" | "toolUse">;

/** The inputs for building the nodes of an answer's grammar. */
interface CallContext {
  readonly reading: OutputReading;
  readonly rules: GrammarRules;
  readonly isControlToken: IsControlToken;
}

/**
 * Builds an answer that consists of calls. Arguments satisfy the schemas of their tools.
 * @throws {GgufdError} `invalid_request` for a strict tool whose schema, or any tool whose grammar,
 *   cannot be honoured
 */
function requiredCalls(demands: CallDemands, context: CallContext): GrammarNode {
  return buildCalls(demands, context, "at-once");
}

/**
 * Builds an answer with optional calls whose arguments or names are restricted.
 * @returns `undefined` if calls are unrestricted
 * @throws {GgufdError} `invalid_request` for a strict tool whose schema, or any tool whose grammar,
 *   cannot be honoured
 */
function restrictedCalls(demands: CallDemands, context: CallContext): GrammarNode | undefined {
  const tools = selectCallableTools(demands);
  const isRestricted =
    tools.length < demands.prompt.tools.length ||
    tools.some(({ strict, larkParameter }) => strict || larkParameter !== undefined);
  return isRestricted ? buildCalls(demands, context, "anywhere") : undefined;
}

/**
 * Returns how an answer constrained by a grammar is parsed: calls of tools that may not be called
 * are text.
 */
export function constrainReading(demands: CallDemands, reading: OutputReading): OutputReading {
  return { ...reading, callable: selectCallableTools(demands).map(({ name }) => name) };
}

function selectCallableTools({ prompt, toolUse }: CallDemands): readonly ToolDefinition[] {
  const { callable } = toolUse ?? {};
  return prompt.tools.filter(({ name }) => callable === undefined || callable.includes(name));
}

function buildCalls(
  demands: CallDemands,
  { reading, rules, isControlToken }: CallContext,
  callPosition: "at-once" | "anywhere",
): GrammarNode {
  const { prompt, stopping, toolUse } = demands;
  const tools = selectCallableTools(demands);
  const isConstrained = (tool: ToolDefinition) => tool.strict || toolUse?.demand === "required";
  const fieldOf = (tool: ToolDefinition) =>
    tool.parametersField ?? `tools.${prompt.tools.indexOf(tool)}.function.parameters`;
  const schemaOf = (tool: ToolDefinition) => ({
    schema: { type: "object", ...tool.parameters },
    field: fieldOf(tool),
  });
  const argumentsOf = (tool: ToolDefinition) => {
    const { larkParameter: parameter } = tool;
    if (parameter !== undefined) return rules.addLark({ parameter, field: fieldOf(tool) });
    if (!isConstrained(tool)) return rules.anyObject;
    const { schema, field } = schemaOf(tool);
    const buildFromSchema = () => rules.add({ constraint: { type: "json-schema", schema }, field });
    return tool.strict ? buildFromSchema() : orElse(buildFromSchema, () => rules.anyObject);
  };
  const argumentSetsOf = (tool: ToolDefinition, plainTextOf: PlainTextOf) => {
    const { larkParameter: parameter } = tool;
    if (parameter !== undefined) {
      return rules.addLarkArguments({ parameter, field: fieldOf(tool) }, plainTextOf);
    }
    const buildSetsFromSchema = () => rules.addArguments({ ...schemaOf(tool), plainTextOf });
    const buildFreeSets = () => [freeArguments(tool, plainTextOf, rules.anyValue)];
    if (!isConstrained(tool)) return buildFreeSets();
    return tool.strict ? buildSetsFromSchema() : orElse(buildSetsFromSchema, buildFreeSets);
  };
  return callGrammar(reading.convention, {
    tools,
    argumentsOf,
    argumentSetsOf,
    calls: toolUse?.calls ?? (stopping.maxToolCalls === 1 ? "one" : "one-or-more"),
    callPosition,
    isControlToken,
  });
}

/** Falls back to `otherwise` if no grammar can express the schema of a tool that is not strict. */
function orElse<Held>(schema: () => Held, otherwise: () => Held): Held {
  try {
    return schema();
  } catch (error) {
    if (error instanceof GgufdError) return otherwise();
    throw error;
  }
}

/**
 * Builds arguments restricted to the names of a tool's parameters and to the types that the parser
 * knows, which may include string.
 * @param anyValue grammar of any JSON value
 */
function freeArguments(
  tool: ToolDefinition,
  plainTextOf: PlainTextOf,
  anyValue: GrammarNode,
): ArgumentSet {
  const { properties, required } = tool.parameters ?? {};
  const readable = toReadableTool(tool).parameters;
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
