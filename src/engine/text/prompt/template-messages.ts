import type { ChatMessage, ToolCall, ToolDefinition } from "../../../core/generation-request.js";
import { exceeds, JSON_LIMITS, jsonSizeOf } from "../../../core/json-size.js";
import { parseJson, toJson, toValue } from "./jinja/json.js";
import type { Dictionary, Value } from "./jinja/value.js";
import type { MessageForm, ToolVariable } from "./message-form.js";
import { withResultsAsCalled, withResultsInCalls } from "./tool-results.js";

/** Applied to every text that the client wrote, in the form that the template gets. */
export type MapText = (text: string) => string;

type AssistantMessage = Extract<ChatMessage, { role: "assistant" }>;

/** Messages with the field names of Hugging Face transformers, in the form that a template reads. */
export function toTemplateMessages(
  messages: readonly ChatMessage[],
  form: MessageForm,
  mapText: MapText,
): Value[] {
  const ordered = form.toolResults === "as-called" ? withResultsAsCalled(messages) : messages;
  const converted = ordered.map((message) => toTemplateMessage(message, form, mapText));
  return form.toolResults === "in-calls" ? withResultsInCalls(converted) : converted;
}

/** Templates test `is defined`, so that an absent value is an absent key. */
function toTemplateMessage(message: ChatMessage, form: MessageForm, mapText: MapText): Dictionary {
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
