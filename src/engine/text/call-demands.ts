import { GgufdError } from "../../core/errors.js";
import type { ChatGenerationRequest, ToolDefinition } from "../../core/generation-request.js";
import { isJsonObject } from "../../core/json-object.js";
import type { ArgumentSet, ParameterValues, PlainTextOf } from "../../grammar/argument-set.js";
import type { GrammarNode } from "../../grammar/grammar.js";
import { lexeme } from "../../grammar/grammar-nodes.js";
import type { GrammarRules } from "../../grammar/grammar-rules.js";
import { callGrammar } from "./output/frames/call-grammar.js";
import type { IsControlToken } from "./output/frames/control-marks.js";
import type { OutputReading } from "./output/output-reading.js";
import { readableTool } from "./output/readable-tool.js";

/** The parts of a request that say what calls may be. */
export type CallDemands = Pick<ChatGenerationRequest, "prompt" | "stopping" | "toolUse">;

/** What grammars of answers are made with. */
export interface CallContext {
  readonly reading: OutputReading;
  readonly rules: GrammarRules;
  readonly isControlToken: IsControlToken;
}

/**
 * An answer that consists of calls. Arguments satisfy the schemas of their tools.
 * @throws {GgufdError} `invalid_request` for a strict tool whose schema, or any whose grammar, cannot be honoured
 */
export function requiredCalls(demands: CallDemands, context: CallContext): GrammarNode {
  return calls(demands, context, "at-once");
}

/**
 * An answer in which calls are free, but not their arguments or not their names.
 * @returns `undefined`: nothing about them is limited
 * @throws {GgufdError} `invalid_request` for a strict tool whose schema, or any whose grammar, cannot be honoured
 */
export function restrictedCalls(
  demands: CallDemands,
  context: CallContext,
): GrammarNode | undefined {
  const tools = callableTools(demands);
  const isRestricted =
    tools.length < demands.prompt.tools.length ||
    tools.some(({ strict, larkParameter }) => strict || larkParameter !== undefined);
  return isRestricted ? calls(demands, context, "anywhere") : undefined;
}

/** How an answer is read that a grammar holds: what looks like a call of a tool that may not be called is text. */
export function heldReading(demands: CallDemands, reading: OutputReading): OutputReading {
  return { ...reading, callable: callableTools(demands).map(({ name }) => name) };
}

function callableTools({ prompt, toolUse }: CallDemands): readonly ToolDefinition[] {
  const { callable } = toolUse ?? {};
  return prompt.tools.filter(({ name }) => callable === undefined || callable.includes(name));
}

function calls(
  demands: CallDemands,
  { reading, rules, isControlToken }: CallContext,
  begins: "at-once" | "anywhere",
): GrammarNode {
  const { prompt, stopping, toolUse } = demands;
  const tools = callableTools(demands);
  const isHeld = (tool: ToolDefinition) => tool.strict || toolUse?.demand === "required";
  const fieldOf = (tool: ToolDefinition) =>
    tool.parametersField ?? `tools.${prompt.tools.indexOf(tool)}.function.parameters`;
  const schemaOf = (tool: ToolDefinition) => ({
    schema: { type: "object", ...tool.parameters },
    field: fieldOf(tool),
  });
  const argumentsOf = (tool: ToolDefinition) => {
    const { larkParameter: parameter } = tool;
    if (parameter !== undefined) return rules.addLark({ parameter, field: fieldOf(tool) });
    if (!isHeld(tool)) return rules.anyObject;
    const { schema, field } = schemaOf(tool);
    const held = () => rules.add({ constraint: { type: "json-schema", schema }, field });
    return tool.strict ? held() : orElse(held, () => rules.anyObject);
  };
  const argumentSetsOf = (tool: ToolDefinition, plainTextOf: PlainTextOf) => {
    const { larkParameter: parameter } = tool;
    if (parameter !== undefined) {
      return rules.addLarkArguments({ parameter, field: fieldOf(tool) }, plainTextOf);
    }
    const held = () => rules.addArguments({ ...schemaOf(tool), plainTextOf });
    const free = () => [freeArguments(tool, plainTextOf, rules.anyValue)];
    if (!isHeld(tool)) return free();
    return tool.strict ? held() : orElse(held, free);
  };
  return callGrammar(reading.convention, {
    tools,
    argumentsOf,
    argumentSetsOf,
    calls: toolUse?.calls ?? (stopping.maxToolCalls === 1 ? "one" : "one-or-more"),
    begins,
    isControlToken,
  });
}

/** A schema that need not be held strictly may be one that cannot be held. */
function orElse<Held>(schema: () => Held, otherwise: () => Held): Held {
  try {
    return schema();
  } catch (error) {
    if (error instanceof GgufdError) return otherwise();
    throw error;
  }
}

/**
 * Arguments that are held to the names of a tool's parameters and to the types of their reader, of which a
 * string is one or the only one.
 * @param anyValue in JSON
 */
function freeArguments(
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
