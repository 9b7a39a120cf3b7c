import { refusalOf } from "../../core/errors.js";
import type { ChatPrompt, GenerationRequest } from "../../core/generation-request.js";
import type { RequestedConstraint } from "../../core/output-constraint.js";
import type { CountTokensRequest, MessagesRequest } from "./schema.js";
import { templateVariablesOf, toReasoningBudget } from "./thinking.js";
import { maxToolCallsOf, toToolDefinitions, toToolUse } from "./tool-use.js";
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
