import { refusalOf } from "../../core/errors.js";
import type {
  ChatPrompt,
  GenerationRequest,
  ToolDefinition,
  ToolUse,
} from "../../core/generation-request.js";
import type { RequestedConstraint } from "../../core/output-constraint.js";
import { preview } from "../../validation/preview.js";
import type { CountTokensRequest, MessagesRequest } from "./schema.js";
import { templateVariablesOf, toReasoningBudget } from "./thinking.js";
import type { RequestTool } from "./tool-schema.js";
import { toChatMessages } from "./translate-messages.js";

/**
 * Translates a request for a message for the engine.
 * @param id unique among the requests in flight
 * @throws {GgufdError} `invalid_request`
 */
export function toGenerationRequest(body: MessagesRequest, id: string): GenerationRequest {
  return {
    id,
    prompt: toPrompt(body),
    sampling: {
      temperature: body.temperature ?? undefined,
      topP: body.top_p ?? undefined,
      topK: body.top_k ?? undefined,
    },
    stopping: {
      maxTokens: body.max_tokens,
      minTokens: 0,
      stop: body.stop_sequences ?? [],
      ignoreEos: false,
      maxToolCalls: maxToolCallsOf(body),
    },
    reasoningBudget: toReasoningBudget(body),
    toolUse: toToolUse(body),
    constraint: toConstraint(body),
  };
}

/**
 * A request whose prompt is the one to be counted. What only limits the answer is left out.
 * @param id unique among the requests in flight
 */
export function toCountedRequest(body: CountTokensRequest, id: string): GenerationRequest {
  const prompt = toPrompt(body);
  const tools = prompt.tools.map((tool) => ({ ...tool, strict: undefined }));
  return {
    id,
    prompt: { ...prompt, tools },
    sampling: {},
    stopping: { minTokens: 0, stop: [], ignoreEos: false },
    reasoningBudget: toReasoningBudget(body),
  };
}

function toPrompt(body: CountTokensRequest): ChatPrompt {
  return {
    type: "chat",
    messages: toChatMessages(body.messages, body.system ?? undefined),
    tools: toToolDefinitions(body),
    templateVariables: templateVariablesOf(body),
    finalMessage: "continued",
  };
}

/** The tools that the model is told of. */
function toToolDefinitions({ tools, tool_choice: choice }: CountTokensRequest): ToolDefinition[] {
  return choice?.type === "none" ? [] : (tools ?? []).map(toToolDefinition);
}

function toToolDefinition(
  { name, description, input_schema: parameters, strict }: RequestTool,
  index: number,
): ToolDefinition {
  return {
    name,
    description: description ?? undefined,
    parameters,
    parametersField: `tools.${index}.input_schema`,
    strict: strict ?? undefined,
  };
}

/** The number of calls after which a message ends; `undefined`: no limit. */
function maxToolCallsOf({ tool_choice: choice }: MessagesRequest): number | undefined {
  return choice && choice.type !== "none" && choice.disable_parallel_tool_use ? 1 : undefined;
}

/**
 * What a request says about calls.
 * @throws {GgufdError} `invalid_request` for a tool that is not among the tools, or none to use
 */
function toToolUse({ tools, tool_choice: choice }: MessagesRequest): ToolUse {
  if (!choice || choice.type === "auto" || choice.type === "none") return { demand: "optional" };
  const names = (tools ?? []).map(({ name }) => name);
  if (choice.type === "any") {
    if (names.length > 0) return { demand: "required" };
    const reason = "expected tools, because one of them is to be used, got none";
    throw refusalOf("invalid_request", [{ field: "tools", reason }]);
  }
  const { name } = choice;
  if (names.includes(name)) return { demand: "required", callable: [name], calls: "one" };
  const reason = `expected the name of one of the tools, got ${preview(name)}`;
  throw refusalOf("invalid_request", [{ field: "tool_choice.name", reason }]);
}

function toConstraint({
  output_config: output,
  output_format: olderFormat,
}: MessagesRequest): RequestedConstraint | undefined {
  const format = output?.format;
  if (format && olderFormat) {
    const reason = "expected nothing beside output_config.format, whose older place this is";
    throw refusalOf("invalid_request", [{ field: "output_format", reason }]);
  }
  if (format) return jsonSchema(format.schema, "output_config.format.schema");
  return olderFormat ? jsonSchema(olderFormat.schema, "output_format.schema") : undefined;
}

function jsonSchema(schema: unknown, field: string): RequestedConstraint {
  return { constraint: { type: "json-schema", schema }, field };
}
