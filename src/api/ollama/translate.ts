import { refusalOf } from "../../core/errors.js";
import type {
  ChatPrompt,
  GenerationRequest,
  RawPrompt,
  ToolDefinition,
} from "../../core/generation-request.js";
import type { RequestedConstraint } from "../../core/output-constraint.js";
import type { OllamaTool } from "./message-schema.js";
import type { ChatRequest, CommonRequest, GenerateRequest } from "./request-schema.js";
import { toChatMessages } from "./translate-messages.js";
import { toSampling, toStopping } from "./translate-options.js";

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

/** A level also turns thinking on: templates read the one or the other. */
function templateVariablesOf({ think }: CommonRequest): ChatPrompt["templateVariables"] {
  if (think === undefined) return {};
  if (typeof think === "boolean") return { enable_thinking: think };
  return { enable_thinking: true, reasoning_effort: think };
}

function constraintOf({ format }: CommonRequest): RequestedConstraint | undefined {
  if (format === undefined || format === "") return undefined;
  const schema = format === "json" ? { type: "object" } : format;
  return { field: "format", constraint: { type: "json-schema", schema } };
}

function toToolDefinition({ function: defined }: OllamaTool): ToolDefinition {
  const { name, description, parameters } = defined;
  return { name, description, parameters };
}
