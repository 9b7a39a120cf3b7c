import { refusalOf } from "../../../core/errors.js";
import type { ChatMessage, GenerationRequest, ToolUse } from "../../../core/generation-request.js";
import type { RequestedConstraint } from "../../../core/output-constraint.js";
import { preview } from "../../../validation/preview.js";
import { hostedTypesOf, type OfferedTool, offeredTools } from "./offered-tools.js";
import type { ReasoningReport } from "./open-reasoning.js";
import type { StoredItem } from "./response-schema.js";
import type { ResponseRequest } from "./schema.js";
import { type PathOf, toMessages } from "./to-messages.js";
import { isNamedTool, type NamedTool } from "./tool-schema.js";

/** The conversation that a response goes on with. */
export interface Conversation {
  /** What was kept of earlier responses. */
  readonly earlier: readonly StoredItem[];
  /** The request's own. */
  readonly input: readonly StoredItem[];
}

/**
 * Translates a request of the Responses API for the engine.
 * @param id unique among the requests in flight
 * @throws {GgufdError} `invalid_request`
 */
export function toGenerationRequest(
  body: ResponseRequest,
  conversation: Conversation,
  id: string,
): GenerationRequest {
  return {
    id,
    prompt: {
      type: "chat",
      messages: messagesOf(body, conversation),
      tools:
        body.tool_choice === "none"
          ? []
          : offeredTools(body.tools).map(({ definition }) => definition),
      templateVariables: body.reasoning?.effort ? { reasoning_effort: body.reasoning.effort } : {},
      finalMessage: "closed",
    },
    sampling: { temperature: body.temperature, topP: body.top_p },
    stopping: {
      maxTokens: body.max_output_tokens,
      minTokens: 0,
      stop: [],
      ignoreEos: false,
      maxToolCalls: body.parallel_tool_calls === false ? 1 : undefined,
    },
    topLogProbabilities: toTopLogProbabilities(body),
    toolUse: toToolUse(body),
    constraint: toConstraint(body),
    priority: body.priority,
  };
}

/** How the request wants reasoning to be reported. */
export function reasoningReportOf({ reasoning, include = [] }: ResponseRequest): ReasoningReport {
  return {
    as: reasoning?.summary ? "summary" : "content",
    opaque: include.includes("reasoning.encrypted_content") ? "added" : "absent",
  };
}

/** The field that says what a response goes on with. */
export function originOf({ conversation }: ResponseRequest): string {
  return conversation === undefined ? "previous_response_id" : "conversation";
}

function messagesOf(
  body: ResponseRequest,
  { earlier, input }: Conversation,
): readonly ChatMessage[] {
  const { instructions } = body;
  const origin = originOf(body);
  const pathOf: PathOf = (index, field) =>
    index < earlier.length ? origin : `input.${index - earlier.length}.${field}`;
  const messages = toMessages([...earlier, ...input], pathOf);
  if (messages.length === 0) {
    const reason = "expected a string or at least one item, because there is nothing before it";
    throw refusalOf("invalid_request", [{ field: "input", reason }]);
  }
  return instructions === undefined
    ? messages
    : [{ role: "system", content: instructions }, ...messages];
}

/** @returns `undefined`: no log-probabilities are asked for */
function toTopLogProbabilities({
  include = [],
  top_logprobs: top = 0,
}: ResponseRequest): number | undefined {
  return top > 0 || include.includes("message.output_text.logprobs") ? top : undefined;
}

/**
 * What a request says about calls.
 * @throws {GgufdError} `invalid_request` for tools that are not among the request's, and where only hosted ones are to be
 *   called
 */
function toToolUse({
  tool_choice: choice = "auto",
  tools = [],
}: Pick<ResponseRequest, "tool_choice" | "tools">): ToolUse {
  const offered = offeredTools(tools);
  if (choice === "none" || choice === "auto") return { demand: "optional" };
  if (choice === "required") {
    if (offered.length > 0) return { demand: "required" };
    const [hosted] = hostedTypesOf(tools);
    const reason =
      hosted === undefined
        ? "expected tools, because one of them is to be called"
        : `expected tools that this server can have called, got ${preview(hosted)}`;
    throw refusalOf("invalid_request", [{ field: "tools", reason }]);
  }
  if (choice.type === "allowed_tools") {
    const callable = choice.tools.flatMap((tool, index) =>
      isNamedTool(tool) ? [nameOf(offered, `tool_choice.tools.${index}.name`, tool)] : [],
    );
    if (choice.mode === "auto") return { demand: "optional", callable };
    if (callable.length > 0) return { demand: "required", callable };
    const reason = `expected a tool that this server can have called, got ${preview(choice.tools)}`;
    throw refusalOf("invalid_request", [{ field: "tool_choice.tools", reason }]);
  }
  return {
    demand: "required",
    callable: [nameOf(offered, "tool_choice.name", choice)],
    calls: "one",
  };
}

/** The name by which the model knows a tool that is asked for. */
function nameOf(
  offered: readonly OfferedTool[],
  field: string,
  { name, namespace }: NamedTool,
): string {
  const found = offered.find(
    (tool) => tool.name === name && (tool.namespace ?? null) === (namespace ?? null),
  );
  if (found !== undefined) return found.definition.name;
  const reason = `expected the name of one of the tools, got ${preview(name)}`;
  throw refusalOf("invalid_request", [{ field, reason }]);
}

function toConstraint({ text }: ResponseRequest): RequestedConstraint | undefined {
  const format = text?.format;
  if (!format || format.type === "text") return undefined;
  if (format.type === "json_object") {
    return {
      field: "text.format",
      constraint: { type: "json-schema", schema: { type: "object" } },
    };
  }
  const { schema } = format;
  return { field: "text.format.schema", constraint: { type: "json-schema", schema } };
}
