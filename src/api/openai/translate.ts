import { refusalOf } from "../../core/errors.js";
import type {
  ChatMessage,
  GenerationRequest,
  SamplingParameters,
  ToolCall,
  ToolDefinition,
} from "../../core/generation-request.js";
import type {
  ChatCompletionRequest,
  RequestMessage,
  RequestTool,
  RequestToolCall,
} from "./schema.js";

/** The completion limit of llama-server's clients for as many tokens as fit. */
const NO_LIMIT = -1;
/** OpenAI's minimum logit bias: the token is banned. */
const MIN_LOGIT_BIAS = -100;

/**
 * Translates a chat completion request for the engine.
 * @param id unique among the requests in flight.
 * @throws {GgufdError} `invalid_request`
 */
export function toGenerationRequest(body: ChatCompletionRequest, id: string): GenerationRequest {
  rejectTwoTrailingAssistantMessages(body.messages);
  const limit = body.max_completion_tokens ?? body.max_tokens ?? NO_LIMIT;
  return {
    id,
    prompt: {
      messages: body.messages.map(toChatMessage),
      tools: body.tool_choice === "none" ? [] : (body.tools ?? []).map(toToolDefinition),
      templateVariables: body.chat_template_kwargs ?? {},
    },
    sampling: toSampling(body),
    stopping: {
      maxTokens: limit === NO_LIMIT ? undefined : limit,
      minTokens: body.min_tokens ?? 0,
      stop: typeof body.stop === "string" ? [body.stop] : (body.stop ?? []),
      ignoreEos: body.ignore_eos ?? false,
      maxToolCalls: body.parallel_tool_calls === false ? 1 : undefined,
    },
  };
}

function toChatMessage(message: RequestMessage): ChatMessage {
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", content: toText(message.content), name: message.name };
    case "user":
      return { role: "user", content: toText(message.content), name: message.name };
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
        content: toText(message.content),
        toolCallId: message.tool_call_id,
        name: message.name,
      };
  }
}

function toToolDefinition({ function: defined }: RequestTool): ToolDefinition {
  return {
    name: defined.name,
    description: defined.description ?? undefined,
    parameters: defined.parameters ?? undefined,
  };
}

function toToolCall({ id, function: called }: RequestToolCall): ToolCall {
  return { id, name: called.name, arguments: called.arguments };
}

function toText(content: RequestMessage["content"]): string {
  if (content === undefined || typeof content === "string") return content ?? "";
  return content.map(({ text }) => text).join("\n");
}

function toSampling(body: ChatCompletionRequest): SamplingParameters {
  return {
    temperature: body.temperature,
    topP: body.top_p,
    topK: body.top_k === undefined ? undefined : Math.max(body.top_k, 0),
    minP: body.min_p,
    seed: body.seed,
    presencePenalty: body.presence_penalty,
    frequencyPenalty: body.frequency_penalty,
    repetitionPenalty: body.repetition_penalty,
    logitBias: body.logit_bias === undefined ? undefined : toLogitBias(body.logit_bias),
  };
}

function toLogitBias(biases: Readonly<Record<string, number>>): ReadonlyMap<number, number> {
  return new Map(
    Object.entries(biases).map(([token, bias]) => [
      Number(token),
      bias <= MIN_LOGIT_BIAS ? Number.NEGATIVE_INFINITY : bias,
    ]),
  );
}

/** A trailing assistant message is continued; a second one before it would be ambiguous. */
function rejectTwoTrailingAssistantMessages(messages: readonly RequestMessage[]): void {
  const [previous, last] = messages.slice(-2);
  if (previous?.role !== "assistant" || last?.role !== "assistant") return;
  const reason = "expected at most one assistant message at the end, got two";
  throw refusalOf("invalid_request", [{ field: "messages", reason }]);
}
