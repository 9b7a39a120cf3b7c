import { createRefusal } from "../../core/errors.js";
import type {
  ChatMessage,
  ChatPrompt,
  GenerationRequest,
  RawPrompt,
  SamplingParameters,
  StoppingParameters,
  ToolCall,
  ToolDefinition,
} from "../../core/generation-request.js";
import { toJsonText } from "../../core/json.js";
import { parseKeepTime } from "../../core/keep-time.js";
import type { MessageContent } from "../../core/media.js";
import type { RequestedConstraint } from "../../core/output-constraint.js";
import { samplingRows } from "../../core/sampling-table.js";
import { prependImages, toRawPrompt } from "./images.js";
import type {
  ChatRequest,
  CommonRequest,
  GenerateRequest,
  OllamaMessage,
  OllamaOptions,
  OllamaTool,
  OllamaToolCall,
} from "./schema.js";

/**
 * Translates a request of `/api/chat` for the engine.
 * @param id unique among the requests in flight
 * @throws {GgufdError} `invalid_request` for images in messages that cannot have any
 */
export function toChatGeneration(body: ChatRequest, id: string): GenerationRequest {
  const prompt: ChatPrompt = {
    type: "chat",
    messages: toChatMessages(body.messages ?? []),
    tools: (body.tools ?? []).map(toToolDefinition),
    templateVariables: toTemplateVariables(body),
  };
  return toGenerationRequest(body, prompt, id);
}

/**
 * Translates a request of `/api/generate` for the engine.
 * @param id unique among the requests in flight
 * @throws {GgufdError} `invalid_request` for fields that a raw prompt or a suffix excludes
 */
export function toTextGeneration(body: GenerateRequest, id: string): GenerationRequest {
  return toGenerationRequest(body, toPrompt(body), id);
}

/**
 * Translates a conversation. A tool result without a call id answers the first unanswered call.
 */
function toChatMessages(messages: readonly OllamaMessage[]): ChatMessage[] {
  const calls = new OpenCalls();
  return messages.map((message, index) => toChatMessage(message, `messages.${index}`, calls));
}

function toChatMessage(message: OllamaMessage, field: string, calls: OpenCalls): ChatMessage {
  const { role, content = "", images = [], thinking, tool_calls: made = [] } = message;
  const buildContent = (): MessageContent => prependImages(content, images, `${field}.images`);
  switch (role) {
    case "system":
      rejectImages(message, field);
      return { role, content };
    case "user":
      return { role, content: buildContent() };
    case "assistant": {
      rejectImages(message, field);
      const toolCalls = made.length === 0 ? undefined : calls.begin(made);
      return { role, content, reasoning: thinking, toolCalls };
    }
    case "tool": {
      const { tool_call_id: id, tool_name: name } = message;
      const call = calls.take(message);
      return {
        role,
        content: buildContent(),
        toolCallId: id ?? call?.id,
        name: name ?? call?.name,
      };
    }
  }
}

function rejectImages({ role, images = [] }: OllamaMessage, field: string): void {
  if (images.length === 0) return;
  const reason = `expected none in a message of the role ${role}, got ${images.length}`;
  throw createRefusal("invalid_request", [{ field: `${field}.images`, reason }]);
}

function toToolDefinition({ function: defined }: OllamaTool): ToolDefinition {
  const { name, description, parameters } = defined;
  return { name, description, parameters };
}

function toPrompt(body: GenerateRequest): ChatPrompt | RawPrompt {
  const { prompt = "", system = "", suffix = "", raw = false, images = [] } = body;
  if (raw) {
    rejectCombinedFields("raw", { system, suffix });
    return toRawPrompt(prompt, images);
  }
  if (suffix !== "") {
    rejectCombinedFields("suffix", { system, images: images[0] ?? "" });
    return { type: "infill", prefix: prompt, suffix, suffixField: "suffix" };
  }
  return {
    type: "chat",
    messages: [
      ...(system === "" ? [] : [{ role: "system" as const, content: system }]),
      { role: "user", content: prependImages(prompt, images, "images") },
    ],
    tools: [],
    templateVariables: toTemplateVariables(body),
  };
}

function rejectCombinedFields(field: string, others: Readonly<Record<string, string>>): void {
  const other = Object.entries(others).find(([, value]) => value !== "");
  if (other === undefined) return;
  const reason = `expected no value in addition to ${field}, which bypasses the chat template`;
  throw createRefusal("invalid_request", [{ field: other[0], reason }]);
}

/**
 * Sets the template variables for thinking. A level also enables thinking, because each template
 * reads only one of the two variables.
 */
function toTemplateVariables({ think }: CommonRequest): ChatPrompt["templateVariables"] {
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
    constraint: toConstraint(body),
  };
}

/** Value of `seed` that draws a random seed for each request. */
const RANDOM_SEED = -1;

/**
 * Translates the sampling parameters. Absent parameters have the model's and the server's defaults.
 */
function toSampling(options: OllamaOptions | undefined): SamplingParameters {
  if (options === undefined) return {};
  const values = samplingRows.map(({ name, ollama }) => [name, ollama && options[ollama]]);
  const { seed } = options;
  return { ...Object.fromEntries(values), seed: seed === RANDOM_SEED ? undefined : seed };
}

/** Translates the stopping conditions. A `num_predict` of 0 or below means no limit. */
function toStopping(options: OllamaOptions | undefined): StoppingParameters {
  const { num_predict: limit, stop = [] } = options ?? {};
  return {
    maxTokens: limit === undefined || limit > 0 ? limit : Number.POSITIVE_INFINITY,
    maxTokensField: "options.num_predict",
    minTokens: 0,
    stop: [stop].flat().filter((text) => text !== ""),
    ignoreEos: false,
  };
}

function toConstraint({ format }: CommonRequest): RequestedConstraint | undefined {
  if (format === undefined || format === "") return undefined;
  const schema = format === "json" ? { type: "object" } : format;
  return { field: "format", constraint: { type: "json-schema", schema } };
}

/**
 * Calls of the conversation's last answer that have no result yet. Lookups take constant time,
 * because a conversation may have thousands of calls and results.
 */
class OpenCalls {
  /** In the order of the calls. */
  #openCalls = new Set<ToolCall>();
  #byId: ReadonlyMap<string, ToolCall[]> = new Map();
  #byName: ReadonlyMap<string, ToolCall[]> = new Map();
  /** Number of generated ids. */
  #idCount = 0;

  /**
   * Begins the next answer, whose calls have no results yet. Ollama's calls may lack an id, which
   * is then generated.
   */
  begin(calls: readonly OllamaToolCall[]): readonly ToolCall[] {
    const newCalls = calls.map(({ id, function: called }) => ({
      id: id ?? this.#createId(),
      name: called.name,
      arguments: toJsonText(called.arguments ?? {}),
    }));
    this.#openCalls = new Set(newCalls);
    this.#byId = groupCalls(newCalls, ({ id }) => id);
    this.#byName = groupCalls(newCalls, ({ name }) => name);
    return newCalls;
  }

  /**
   * Removes and returns the unanswered call of a result: by id, else the first call of the
   * named tool.
   */
  take({ tool_call_id: id, tool_name: name }: OllamaMessage): ToolCall | undefined {
    const answeredCall = this.#findOpen(this.#listCandidates(id, name));
    if (answeredCall !== undefined) this.#openCalls.delete(answeredCall);
    return answeredCall;
  }

  #listCandidates(id: string | undefined, name: string | undefined): Iterable<ToolCall> {
    if (id !== undefined) return takeAll(this.#byId.get(id) ?? []);
    return name === undefined ? this.#openCalls : takeAll(this.#byName.get(name) ?? []);
  }

  #findOpen(candidates: Iterable<ToolCall>): ToolCall | undefined {
    for (const call of candidates) if (this.#openCalls.has(call)) return call;
    return undefined;
  }

  /** Creates a call id of nine letters and digits, as required by Mistral's chat templates. */
  #createId(): string {
    return `call${String(this.#idCount++).padStart(5, "0")}`;
  }
}

/** Removes the calls from a list one by one, so that no later lookup visits them again. */
function* takeAll(calls: ToolCall[]): Generator<ToolCall, void> {
  for (let call = calls.shift(); call !== undefined; call = calls.shift()) yield call;
}

function groupCalls(
  calls: readonly ToolCall[],
  keyOf: (call: ToolCall) => string,
): ReadonlyMap<string, ToolCall[]> {
  const groups = new Map<string, ToolCall[]>();
  for (const call of calls) {
    const group = groups.get(keyOf(call));
    if (group === undefined) groups.set(keyOf(call), [call]);
    else group.push(call);
  }
  return groups;
}

/** Effect of a request without a prompt on the model. */
export type ModelChange = "load" | "unload";

/** @returns the change that a request without messages makes; `undefined`: it has messages */
export function modelChangeOfChat(body: ChatRequest): ModelChange | undefined {
  return (body.messages ?? []).length === 0 ? changeOf(body) : undefined;
}

/** @returns the change that a request without a prompt makes; `undefined`: it has a prompt */
export function modelChangeOfGenerate(body: GenerateRequest): ModelChange | undefined {
  return (body.prompt ?? "") === "" && (body.suffix ?? "") === "" ? changeOf(body) : undefined;
}

function changeOf({ keep_alive: keepAlive }: CommonRequest): ModelChange {
  return keepAlive !== undefined && parseKeepTime(keepAlive) === 0 ? "unload" : "load";
}
