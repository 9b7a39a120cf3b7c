import type { TextMessage, ToolCall, ToolDefinition } from "../../../core/generation-request.js";
import { exceeds, JSON_LIMITS, measureJsonSize } from "../../../core/json-size.js";
import { parseJson, toJson, toValue } from "./jinja/json.js";
import { strftime } from "./jinja/strftime.js";
import type { Dictionary, Value } from "./jinja/value.js";
import type { MessageForm, ToolVariable } from "./message-form.js";

/**
 * Builds the variables of a template other than messages and tools, with the defaults and aliases
 * of llama.cpp: thinking is on if the model has a form for it, and `reasoning_effort` "none" turns
 * it off; the reasoning of earlier answers is preserved, under the variable name of each model
 * family.
 * @param requested variables given by the client
 */
export function buildTemplateVariables(
  requested: Readonly<Record<string, unknown>>,
  { thinking }: MessageForm,
  now: Date,
  mapText: MapText,
): Map<string, Value> {
  const { reasoning_effort: effort, preserve_reasoning: preserves = true } = requested;
  const variables = new Map<string, Value>([
    ["enable_thinking", thinking === "on" && effort !== "none"],
    ["datetime", strftime(now, "%b %d %Y")],
    ["date_string", strftime(now, "%d %b %Y")],
    ["preserve_thinking", preserves === true],
    ["clear_thinking", preserves !== true],
    ["truncate_history_thinking", preserves !== true],
    ["drop_thinking", preserves !== true],
  ]);
  if (typeof effort === "string") variables.set("reasoning_strength", mapText(effort));
  for (const [name, value] of Object.entries(requested)) {
    variables.set(name, toValue(value, mapText));
  }
  if (effort === "none") {
    variables.delete("reasoning_effort");
    variables.delete("reasoning_strength");
  }
  return variables;
}

/** Applied to all client text, in the form that the template receives. */
export type MapText = (text: string) => string;

type AssistantMessage = Extract<TextMessage, { role: "assistant" }>;

/**
 * Converts messages to the field names of Hugging Face transformers, in the form that a template
 * reads.
 */
export function toTemplateMessages(
  messages: readonly TextMessage[],
  form: MessageForm,
  mapText: MapText,
): Value[] {
  const ordered = form.toolResults === "as-called" ? withResultsAsCalled(messages) : messages;
  const converted = ordered.map((message) => toTemplateMessage(message, form, mapText));
  return form.toolResults === "in-calls" ? withResultsInCalls(converted) : converted;
}

/** Converts a message. Templates test `is defined`, so an absent value is an absent key. */
function toTemplateMessage(message: TextMessage, form: MessageForm, mapText: MapText): Dictionary {
  if (message.role === "assistant") return toAssistantFields(message, form, mapText);
  const { role, content, name } = message;
  return withoutUndefined([
    ["role", role],
    ["content", toContent(mapText(content), form)],
    ["name", name === undefined ? undefined : mapText(name)],
    [
      "tool_call_id",
      role === "tool" && message.toolCallId !== undefined ? mapText(message.toolCallId) : undefined,
    ],
  ]);
}

function toAssistantFields(
  { content, reasoning, toolCalls }: AssistantMessage,
  form: MessageForm,
  mapText: MapText,
): Dictionary {
  const mappedReasoning =
    reasoning === undefined || reasoning === "" ? undefined : mapText(reasoning);
  const isRefused =
    form.textWithReasonedCalls === "refused" &&
    mappedReasoning !== undefined &&
    toolCalls !== undefined;
  const text = isRefused ? "" : mapText(content);
  const isPart = form.reasoning === "part";
  return withoutUndefined([
    ["role", "assistant"],
    ["content", isPart ? toReasonedParts(text, mappedReasoning) : toContent(text, form)],
    [form.reasoning, isPart ? undefined : mappedReasoning],
    ["tool_calls", toolCalls?.map((call) => toTemplateCall(call, form, mapText))],
  ]);
}

function toContent(text: string, { content }: MessageForm): Value {
  return content === "text" ? text : [textPart(text)];
}

function textPart(text: string): Dictionary {
  return dictionary({ type: "text", text });
}

function toReasonedParts(text: string, reasoning: string | undefined): Value[] {
  const thinking = dictionary({ type: "thinking", thinking: reasoning });
  return reasoning === undefined ? [textPart(text)] : [thinking, textPart(text)];
}

function toTemplateCall(
  { id, name, arguments: text }: ToolCall,
  form: MessageForm,
  mapText: MapText,
): Dictionary {
  const calledFunction = dictionary({
    name: mapText(name),
    arguments: form.toolArguments === "parsed" ? parseArguments(text, mapText) : mapText(text),
  });
  return dictionary({ type: "function", function: calledFunction, id: mapText(id) });
}

/** Parses arguments; arguments that are not JSON, or are too large, stay text. */
function parseArguments(text: string, mapText: MapText): Value {
  if (exceeds(measureJsonSize(Buffer.from(text), JSON_LIMITS), JSON_LIMITS)) return mapText(text);
  try {
    return parseJson(text, mapText);
  } catch {
    return mapText(text);
  }
}

/** Converts tools to the form of the variable from which a template reads them. */
export function toTemplateTools(
  tools: readonly ToolDefinition[],
  variable: ToolVariable,
  mapText: MapText,
): Value {
  const functions = tools.map((tool) => toValue(functionOf(tool), mapText));
  switch (variable) {
    case "tools":
      return functions.map((called) => dictionary({ type: "function", function: called }));
    case "xml_tools":
      return functions;
    case "functions":
      return toJson(functions, { indent: 4 });
  }
}

/**
 * Returns a function with llama.cpp's defaults, as some templates fail without a description or
 * parameters.
 */
function functionOf({ name, description = "", parameters = {} }: ToolDefinition) {
  return { name, description, parameters };
}

function dictionary(entries: Readonly<Record<string, Value>>): Dictionary {
  return new Map(Object.entries(entries));
}

function withoutUndefined(entries: readonly (readonly [string, Value])[]): Dictionary {
  return new Map(entries.filter(([, value]) => value !== undefined));
}

/** Sorts consecutive results by the order of their calls; those of unknown calls come first. */
export function withResultsAsCalled(messages: readonly TextMessage[]): TextMessage[] {
  const ordered: TextMessage[] = [];
  let positions = new Map<string, number>();
  const positionOf = ({ toolCallId = "" }: ToolMessage) => positions.get(toolCallId) ?? -1;
  for (let index = 0; index < messages.length; index = ordered.length) {
    const results = takeLeadingResults(messages, index);
    ordered.push(...results.toSorted((a, b) => positionOf(a) - positionOf(b)));
    const next = messages[ordered.length];
    if (next === undefined) break;
    if (next.role === "assistant") {
      positions = new Map(next.toolCalls?.map(({ id }, place) => [id, place]));
    }
    ordered.push(next);
  }
  return ordered;
}

type ToolMessage = Extract<TextMessage, { role: "tool" }>;

/** Returns the consecutive results that begin at an index. */
function takeLeadingResults(messages: readonly TextMessage[], start: number): ToolMessage[] {
  const results: ToolMessage[] = [];
  for (let index = start; ; index++) {
    const message = messages[index];
    if (message?.role !== "tool") return results;
    results.push(message);
  }
}

/**
 * Moves results, and the answer after them, into the message with the calls, in the fields that
 * Gemma 4's templates read. The templates print results that are JSON in their own form.
 */
export function withResultsInCalls(messages: readonly Dictionary[]): Dictionary[] {
  const converted: Dictionary[] = [];
  let callMessage: Dictionary | undefined;
  for (const message of messages) {
    const role = message.get("role");
    if (callMessage !== undefined && role === "tool") {
      addResult(callMessage, message);
    } else if (callMessage !== undefined && isAnswer(message)) {
      callMessage.set("content", message.get("content"));
      callMessage = undefined;
    } else {
      const copy = new Map(message);
      converted.push(copy);
      callMessage = copy.has("tool_calls") ? copy : undefined;
    }
  }
  return converted;
}

function isAnswer(message: Dictionary): boolean {
  const isText = message.get("role") === "assistant" && !message.has("tool_calls");
  return isText && message.get("content") !== "";
}

function addResult(callMessage: Dictionary, result: Dictionary): void {
  const previousResponses = callMessage.get("tool_responses");
  const responses = Array.isArray(previousResponses) ? previousResponses : [];
  const calls = callMessage.get("tool_calls");
  const call = Array.isArray(calls) ? calls[responses.length] : undefined;
  const calledEntry = call instanceof Map ? call.get("function") : undefined;
  const name = calledEntry instanceof Map ? calledEntry.get("name") : result.get("tool_call_id");
  responses.push(
    new Map<Value, Value>([
      ["name", name],
      ["response", parseResult(result.get("content"))],
    ]),
  );
  callMessage.set("tool_responses", responses);
}

function parseResult(content: Value): Value {
  if (typeof content !== "string") return content;
  try {
    return parseJson(content, (text) => text);
  } catch {
    return content;
  }
}
