import { refusalOf } from "../../core/errors.js";
import type {
  ChatMessage,
  ChatPrompt,
  GenerationRequest,
  RawPrompt,
  SamplingParameters,
  StoppingParameters,
  ToolDefinition,
} from "../../core/generation-request.js";
import type { RequestedConstraint } from "../../core/output-constraint.js";
import type { OllamaMessage, OllamaTool } from "./message-schema.js";
import { OpenCalls } from "./open-calls.js";
import type { OllamaOptions } from "./options-schema.js";
import type { ChatRequest, CommonRequest, GenerateRequest } from "./request-schema.js";

/**
 * Translates a request of `/api/chat` for the engine.
 * @param id unique among the requests in flight
 */
export function toChatGeneration(body: ChatRequest, id: string): GenerationRequest {
  const prompt: ChatPrompt = {
    type: "chat",
    messages: toChatMessages(body.messages ?? []),
    tools: (body.tools ?? []).map(toToolDefinition),
    templateVariables: templateVariablesOf(body),
  };
  return toGenerationRequest(body, prompt, id);
}

/**
 * Translates a request of `/api/generate` for the engine.
 * @param id unique among the requests in flight
 * @throws {GgufdError} `invalid_request` for what goes with neither a raw prompt nor a suffix
 */
export function toTextGeneration(body: GenerateRequest, id: string): GenerationRequest {
  return toGenerationRequest(body, toPrompt(body), id);
}

/** Translates a conversation; a result without a call's id answers the first call that is open. */
function toChatMessages(messages: readonly OllamaMessage[]): ChatMessage[] {
  const calls = new OpenCalls();
  return messages.map((message) => toChatMessage(message, calls));
}

function toChatMessage(message: OllamaMessage, calls: OpenCalls): ChatMessage {
  const { role, content = "", thinking, tool_calls: made = [] } = message;
  switch (role) {
    case "system":
    case "user":
      return { role, content };
    case "assistant": {
      const toolCalls = made.length === 0 ? undefined : calls.begin(made);
      return { role, content, reasoning: thinking, toolCalls };
    }
    case "tool": {
      const { tool_call_id: id, tool_name: name } = message;
      const call = calls.take(message);
      return { role, content, toolCallId: id ?? call?.id, name: name ?? call?.name };
    }
  }
}

function toToolDefinition({ function: defined }: OllamaTool): ToolDefinition {
  const { name, description, parameters } = defined;
  return { name, description, parameters };
}

function toPrompt(body: GenerateRequest): ChatPrompt | RawPrompt {
  const { prompt = "", system = "", suffix = "", raw = false } = body;
  if (raw) {
    rejectBeside("raw", { system, suffix });
    return { type: "text", text: prompt };
  }
  if (suffix !== "") {
    rejectBeside("suffix", { system });
    return { type: "infill", prefix: prompt, suffix, suffixField: "suffix" };
  }
  return {
    type: "chat",
    messages: [
      ...(system === "" ? [] : [{ role: "system" as const, content: system }]),
      { role: "user", content: prompt },
    ],
    tools: [],
    templateVariables: templateVariablesOf(body),
  };
}

function rejectBeside(field: string, others: Readonly<Record<string, string>>): void {
  const other = Object.entries(others).find(([, value]) => value !== "");
  if (other === undefined) return;
  const reason = `expected nothing beside ${field}, for which no chat template is used`;
  throw refusalOf("invalid_request", [{ field: other[0], reason }]);
}

/** A level also turns thinking on: templates read the one or the other. */
function templateVariablesOf({ think }: CommonRequest): ChatPrompt["templateVariables"] {
  if (think === undefined) return {};
  if (typeof think === "boolean") return { enable_thinking: think };
  return { enable_thinking: true, reasoning_effort: think };
}

function toGenerationRequest(
  body: CommonRequest,
  prompt: GenerationRequest["prompt"],
  id: string,
): GenerationRequest {
  return {
    id,
    prompt,
    sampling: toSampling(body.options),
    stopping: toStopping(body.options),
    topLogProbabilities: body.logprobs ? (body.top_logprobs ?? 0) : undefined,
    constraint: constraintOf(body),
  };
}

/** Of `seed`: another one for each request; of `repeat_last_n`: all tokens. */
const NONE = -1;

/** How a request's tokens are drawn. What it leaves open is the model's and the server's to say. */
function toSampling(options: OllamaOptions | undefined): SamplingParameters {
  if (options === undefined) return {};
  const { top_k: topK, seed, repeat_last_n: window } = options;
  return {
    temperature: options.temperature,
    topK: topK === undefined ? undefined : Math.max(topK, 0),
    topP: options.top_p,
    minP: options.min_p,
    seed: seed === NONE ? undefined : seed,
    repetitionPenalty: options.repeat_penalty,
    presencePenalty: options.presence_penalty,
    frequencyPenalty: options.frequency_penalty,
    penaltyWindow: window === NONE ? Number.POSITIVE_INFINITY : window,
  };
}

/** When a request's answer ends. */
function toStopping(options: OllamaOptions | undefined): StoppingParameters {
  const { num_predict: limit = NONE, stop = [] } = options ?? {};
  return {
    maxTokens: limit > 0 ? limit : undefined,
    minTokens: 0,
    stop: [stop].flat().filter((text) => text !== ""),
    ignoreEos: false,
  };
}

function constraintOf({ format }: CommonRequest): RequestedConstraint | undefined {
  if (format === undefined || format === "") return undefined;
  const schema = format === "json" ? { type: "object" } : format;
  return { field: "format", constraint: { type: "json-schema", schema } };
}
