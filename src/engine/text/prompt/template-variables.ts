import type { TextMessage, ToolCall, ToolDefinition } from "../../../core/generation-request.js";
import { exceeds, JSON_LIMITS, jsonSizeOf } from "../../../core/json-size.js";
import { parseJson, toJson, toValue } from "./jinja/json.js";
import { strftime } from "./jinja/strftime.js";
import type { Dictionary, Value } from "./jinja/value.js";
import type { MessageForm, ToolVariable } from "./message-form.js";

/**
 * The variables of a template beside messages and tools, with the defaults and the aliases of
 * llama.cpp: thinking is on if the model has a form for it, and `reasoning_effort` "none" turns it off; the reasoning of earlier
 * answers is preserved, which has another name in each model family.
 * @param requested the client's own
 */
export function templateVariables(
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

/** Applied to every text that the client wrote, in the form that the template gets. */
export type MapText = (text: string) => string;

type AssistantMessage = Extract<TextMessage, { role: "assistant" }>;

/** Messages with the field names of Hugging Face transformers, in the form that a template reads. */
export function toTemplateMessages(
  messages: readonly TextMessage[],
  form: MessageForm,
  mapText: MapText,
): Value[] {
  const ordered = form.toolResults === "as-called" ? withResultsAsCalled(messages) : messages;
  const converted = ordered.map((message) => toTemplateMessage(message, form, mapText));
  return form.toolResults === "in-calls" ? withResultsInCalls(converted) : converted;
}

/** Templates test `is defined`, so that an absent value is an absent key. */
function toTemplateMessage(message: TextMessage, form: MessageForm, mapText: MapText): Dictionary {
  if (message.role === "assistant") return assistantFields(message, form, mapText);
  const { role, content, name } = message;
  return defined([
    ["role", role],
    ["content", contentOf(mapText(content), form)],
    ["name", name === undefined ? undefined : mapText(name)],
    [
      "tool_call_id",
      role === "tool" && message.toolCallId !== undefined ? mapText(message.toolCallId) : undefined,
    ],
  ]);
}

function assistantFields(
  { content, reasoning, toolCalls }: AssistantMessage,
  form: MessageForm,
  mapText: MapText,
): Dictionary {
  const reasoned = reasoning === undefined || reasoning === "" ? undefined : mapText(reasoning);
  const isRefused =
    form.textBesideReasonedCalls === "refused" && reasoned !== undefined && toolCalls !== undefined;
  const text = isRefused ? "" : mapText(content);
  const isPart = form.reasoning === "part";
  return defined([
    ["role", "assistant"],
    ["content", isPart ? reasonedParts(text, reasoned) : contentOf(text, form)],
    [form.reasoning, isPart ? undefined : reasoned],
    ["tool_calls", toolCalls?.map((call) => toTemplateCall(call, form, mapText))],
  ]);
}

function contentOf(text: string, { content }: MessageForm): Value {
  return content === "text" ? text : [textPart(text)];
}

function textPart(text: string): Dictionary {
  return dictionary({ type: "text", text });
}

function reasonedParts(text: string, reasoning: string | undefined): Value[] {
  const thinking = dictionary({ type: "thinking", thinking: reasoning });
  return reasoning === undefined ? [textPart(text)] : [thinking, textPart(text)];
}

function toTemplateCall(
  { id, name, arguments: text }: ToolCall,
  form: MessageForm,
  mapText: MapText,
): Dictionary {
  const called = dictionary({
    name: mapText(name),
    arguments: form.toolArguments === "parsed" ? parsed(text, mapText) : mapText(text),
  });
  return dictionary({ type: "function", function: called, id: mapText(id) });
}

/** Arguments that are not JSON, or too large, as text. */
function parsed(text: string, mapText: MapText): Value {
  if (exceeds(jsonSizeOf(Buffer.from(text), JSON_LIMITS), JSON_LIMITS)) return mapText(text);
  try {
    return parseJson(text, mapText);
  } catch {
    return mapText(text);
  }
}

/** Tools in the form of the variable that a template reads them from. */
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

/** With llama.cpp's defaults: some templates fail without a description or parameters. */
function functionOf({ name, description = "", parameters = {} }: ToolDefinition) {
  return { name, description, parameters };
}

function dictionary(entries: Readonly<Record<string, Value>>): Dictionary {
  return new Map(Object.entries(entries));
}

function defined(entries: readonly (readonly [string, Value])[]): Dictionary {
  return new Map(entries.filter(([, value]) => value !== undefined));
}

/** Consecutive results in the order of the calls that they answer; those of unknown calls first. */
export function withResultsAsCalled(messages: readonly TextMessage[]): TextMessage[] {
  const ordered: TextMessage[] = [];
  let positions = new Map<string, number>();
  const position = ({ toolCallId = "" }: ToolMessage) => positions.get(toolCallId) ?? -1;
  for (let index = 0; index < messages.length; index = ordered.length) {
    const results = leadingResults(messages, index);
    ordered.push(...results.toSorted((a, b) => position(a) - position(b)));
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

/** The results that begin at an index, until another message. */
function leadingResults(messages: readonly TextMessage[], start: number): ToolMessage[] {
  const results: ToolMessage[] = [];
  for (let index = start; ; index++) {
    const message = messages[index];
    if (message?.role !== "tool") return results;
    results.push(message);
  }
}

/**
 * Results, and the answer after them, as parts of the message with the calls, in the fields that
 * Gemma 4's templates read. Where a result is JSON, they print it in a form of their own.
 */
export function withResultsInCalls(messages: readonly Dictionary[]): Dictionary[] {
  const converted: Dictionary[] = [];
  let calling: Dictionary | undefined;
  for (const message of messages) {
    const role = message.get("role");
    if (calling !== undefined && role === "tool") {
      addResult(calling, message);
    } else if (calling !== undefined && isAnswer(message)) {
      calling.set("content", message.get("content"));
      calling = undefined;
    } else {
      const copy = new Map(message);
      converted.push(copy);
      calling = copy.has("tool_calls") ? copy : undefined;
    }
  }
  return converted;
}

function isAnswer(message: Dictionary): boolean {
  const isText = message.get("role") === "assistant" && !message.has("tool_calls");
  return isText && message.get("content") !== "";
}

function addResult(calling: Dictionary, result: Dictionary): void {
  const present = calling.get("tool_responses");
  const responses = Array.isArray(present) ? present : [];
  const calls = calling.get("tool_calls");
  const call = Array.isArray(calls) ? calls[responses.length] : undefined;
  const called = call instanceof Map ? call.get("function") : undefined;
  const name = called instanceof Map ? called.get("name") : result.get("tool_call_id");
  responses.push(
    new Map<Value, Value>([
      ["name", name],
      ["response", parsedResult(result.get("content"))],
    ]),
  );
  calling.set("tool_responses", responses);
}

function parsedResult(content: Value): Value {
  if (typeof content !== "string") return content;
  try {
    return parseJson(content, (text) => text);
  } catch {
    return content;
  }
}
