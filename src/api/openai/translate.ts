import { createRefusal } from "../../core/errors.js";
import type {
  ChatMessage,
  ChatPrompt,
  GenerationRequest,
  ReasoningBudget,
} from "../../core/generation-request.js";
import type { PromptEnding } from "../../core/text-question.js";
import { preview } from "../../validation/preview.js";
import { toConstraint } from "../fields/constraint.js";
import { toEvaluation, toProgressReporting } from "../fields/generation-fields.js";
import { toSampling, toStopping } from "../fields/sampling.js";
import { toContent, toText } from "./content.js";
import { type ChatCompletionRequest, type RequestMessage, reasoningBudget } from "./schema.js";
import {
  convertFunctionsToTools,
  toToolCall,
  toToolDefinitions,
  toToolUse,
} from "./translate-tools.js";

/**
 * Translates a chat completion request for the engine.
 * @param id unique among the requests in flight
 * @throws {GgufdError} `invalid_request`, `unsupported_parameter`
 */
export function toGenerationRequest(request: ChatCompletionRequest, id: string): GenerationRequest {
  const body = convertFunctionsToTools(request);
  if (selectPromptEnding(body) === "final message") {
    const reason =
      "expected true, unless a final assistant message is continued, got false, which only /apply-template supports";
    throw createRefusal("unsupported_parameter", [{ field: "add_generation_prompt", reason }]);
  }
  const progress = toProgressReporting(body);
  return {
    id,
    prompt: buildChatPrompt(body),
    sampling: toSampling(body),
    stopping: {
      ...toStopping(body),
      maxToolCalls: body.parallel_tool_calls === false ? 1 : undefined,
    },
    choices: body.n,
    topLogProbabilities: toTopLogProbabilities(body),
    reasoningBudget: toReasoningBudget(body),
    ...(body.reasoning_control && {
      reasoningControl: { message: body.reasoning_budget_message },
    }),
    toolUse: toToolUse(body),
    constraint: toConstraint(body),
    prediction: body.prediction && toText(body.prediction.content),
    priority: body.priority,
    evaluation: toEvaluation(body.cache_prompt),
    ...(progress && { progress }),
  };
}

/**
 * Translates the conversation of a chat completion request.
 * @throws {GgufdError} `invalid_request`, `unsupported_parameter`
 */
export function toChatPrompt(request: ChatCompletionRequest): ChatPrompt {
  return buildChatPrompt(convertFunctionsToTools(request));
}

function buildChatPrompt(body: ChatCompletionRequest): ChatPrompt {
  const finalMessage = selectFinalMessage(body);
  if (finalMessage === "continued") rejectTwoTrailingAssistantMessages(body.messages);
  const tools = toToolDefinitions(body.tools);
  return {
    type: "chat",
    messages: body.messages.map(toChatMessage),
    tools: body.tool_choice === "none" ? [] : tools,
    templateVariables: toTemplateVariables(body),
    finalMessage,
  };
}

/**
 * Passes the effort to the template, which interprets it for its model. `chat_template_kwargs`
 * takes precedence.
 */
function toTemplateVariables({
  reasoning_effort: effort,
  chat_template_kwargs: variables,
}: ChatCompletionRequest): ChatPrompt["templateVariables"] {
  return { ...(effort !== undefined && { reasoning_effort: effort }), ...variables };
}

function toChatMessage(message: RequestMessage, index: number): ChatMessage {
  const field = `messages.${index}.content`;
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", content: toText(message.content), name: message.name };
    case "user":
      return { role: "user", content: toContent(message.content, field), name: message.name };
    case "assistant":
      return {
        role: "assistant",
        content: toText(message.content),
        reasoning: message.reasoning_content,
        toolCalls:
          message.tool_calls?.length === 0 ? undefined : message.tool_calls?.map(toToolCall),
      };
    case "tool":
    case "function":
      return {
        role: "tool",
        content: toContent(message.content, field),
        toolCallId: message.tool_call_id,
        name: message.name,
      };
  }
}

/**
 * Rejects two trailing assistant messages: the last one is continued, so a second one before it
 * would be ambiguous.
 */
function rejectTwoTrailingAssistantMessages(messages: readonly RequestMessage[]): void {
  const [previous, last] = messages.slice(-2);
  if (previous?.role !== "assistant" || last?.role !== "assistant") return;
  const reason = "expected at most one assistant message at the end, got two";
  throw createRefusal("invalid_request", [{ field: "messages", reason }]);
}

const NO_LIMIT = -1;

/**
 * Reads the reasoning limit of a request.
 * @throws {GgufdError} `invalid_request` for a template variable `thinking_budget` that is not a
 *   valid budget
 */
function toReasoningBudget(body: ChatCompletionRequest): ReasoningBudget | undefined {
  const maxTokens =
    body.reasoning_budget_tokens ??
    body.reasoning_budget ??
    body.thinking_budget_tokens ??
    body.thinking_budget ??
    body.thinking_token_budget ??
    readBudgetVariable(body) ??
    NO_LIMIT;
  if (maxTokens === NO_LIMIT) return undefined;
  return { maxTokens, message: body.reasoning_budget_message };
}

/** Reads the budget from the template variables, where Qwen's clients send it. */
function readBudgetVariable({ chat_template_kwargs: variables }: ChatCompletionRequest) {
  const value = variables?.thinking_budget;
  if (value === undefined || value === null) return undefined;
  const { data, error } = reasoningBudget.safeParse(value);
  if (error === undefined) return data;
  const reason = `${error.issues[0]?.message}, got ${preview(value)}`;
  throw createRefusal("invalid_request", [
    { field: "chat_template_kwargs.thinking_budget", reason },
  ]);
}

/**
 * Determines whether a final assistant message is continued, which is the default as in llama.cpp.
 * `continue_final_message` and `add_generation_prompt` of vLLM and llama.cpp set it explicitly.
 * @throws {GgufdError} `invalid_request` for contradictions
 */
export function selectFinalMessage({
  messages,
  continue_final_message: continues,
  add_generation_prompt: begins,
}: ChatCompletionRequest): NonNullable<ChatPrompt["finalMessage"]> {
  const canContinue = isContinuable(messages.at(-1));
  if (continues && begins) {
    const reason = "expected false, because continue_final_message is true";
    throw createRefusal("invalid_request", [{ field: "add_generation_prompt", reason }]);
  }
  if (continues && !canContinue) {
    const reason = "expected a final assistant message without tool calls, to be continued";
    throw createRefusal("invalid_request", [{ field: "messages", reason }]);
  }
  return (continues ?? !begins) ? "continued" : "closed";
}

/** Determines whether the prompt ends with the beginning of an answer, as by default. */
export function selectPromptEnding(body: ChatCompletionRequest): PromptEnding {
  const isContinued =
    isContinuable(body.messages.at(-1)) && selectFinalMessage(body) === "continued";
  return body.add_generation_prompt === false && !isContinued
    ? "final message"
    : "beginning of an answer";
}

function isContinuable(message: ChatCompletionRequest["messages"][number] | undefined): boolean {
  return message?.role === "assistant" && (message.tool_calls ?? []).length === 0;
}

/**
 * Returns the number of most probable tokens to report for each token.
 * @returns `undefined`: no log-probabilities are requested
 * @throws {GgufdError} `invalid_request` for `top_logprobs` without `logprobs`
 */
function toTopLogProbabilities({
  logprobs,
  top_logprobs: top = 0,
}: ChatCompletionRequest): number | undefined {
  if (logprobs) return top;
  if (top === 0) return undefined;
  const reason = "expected logprobs to be true as well";
  throw createRefusal("invalid_request", [{ field: "top_logprobs", reason }]);
}
