import { createRefusal } from "../../core/errors.js";
import type {
  ChatMessage,
  ChatPrompt,
  GenerationRequest,
  ToolCall,
} from "../../core/generation-request.js";
import { toJsonText } from "../../core/json.js";
import {
  type ContentPart,
  joinContent,
  type MediaPart,
  type MessageContent,
  partsOf,
} from "../../core/media.js";
import type { RequestedConstraint } from "../../core/output-constraint.js";
import { type DocumentContent, toDocumentParts } from "../fields/documents.js";
import type {
  AssistantMessage,
  DocumentBlock,
  ImageBlock,
  RequestMessage,
  TextBlock,
  TextContent,
  ToolResultBlock,
  ToolUseBlock,
  UserMessage,
} from "./content-schema.js";
import type { CountTokensRequest, MessagesRequest } from "./schema.js";
import { decodeThinking, toReasoningBudget, toTemplateVariables } from "./thinking.js";
import { describeReference, toToolDefinitions, toToolUse } from "./tools.js";

/**
 * Translates a messages request for the engine.
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
 * Translates a request to count tokens, without constraints that only affect the answer.
 * @param id unique among the requests in flight
 */
export function toCountRequest(body: CountTokensRequest, id: string): GenerationRequest {
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
    messages: toChatMessages(body),
    tools: toToolDefinitions(body),
    templateVariables: toTemplateVariables(body),
    finalMessage: "continued",
  };
}

/** Returns the maximum number of calls in the message; `undefined`: unlimited. */
function maxToolCallsOf({ tool_choice: choice }: MessagesRequest): number | undefined {
  return choice && choice.type !== "none" && choice.disable_parallel_tool_use ? 1 : undefined;
}

function toConstraint({
  output_config: output,
  output_format: olderFormat,
}: MessagesRequest): RequestedConstraint | undefined {
  const format = output?.format;
  if (format && olderFormat) {
    const reason =
      "expected no value in addition to output_config.format, which replaces this field";
    throw createRefusal("invalid_request", [{ field: "output_format", reason }]);
  }
  if (format) return jsonSchema(format.schema, "output_config.format.schema");
  return olderFormat ? jsonSchema(olderFormat.schema, "output_format.schema") : undefined;
}

function jsonSchema(schema: unknown, field: string): RequestedConstraint {
  return { constraint: { type: "json-schema", schema }, field };
}

/**
 * Translates the messages of a conversation. Successive messages of one role are merged, as
 * specified by Anthropic: chat templates expect alternating roles.
 */
function toChatMessages({ messages, system, tools }: CountTokensRequest): ChatMessage[] {
  const systemText = system ? toSystemText(system) : "";
  const translated = messages.flatMap((message, index) => toMessages(message, index, tools));
  if (systemText !== "") translated.unshift(toSystemMessage(systemText));
  return groupIntoTurns(translated).map(mergeTurn);
}

/**
 * First line of Claude Code's system prompt, for Anthropic's accounting. It differs in every
 * request, which would prevent prompts from sharing a prefix.
 */
const ACCOUNTING_LINE = /^x-anthropic-billing-header:[^\n]*\n?/;

/** Joins the text of a system prompt, without the accounting line. */
function toSystemText(system: TextContent): string {
  const texts = typeof system === "string" ? [system] : system.map(({ text }) => text);
  return texts
    .map((text) => text.replace(ACCOUNTING_LINE, ""))
    .filter((text) => text !== "")
    .join("\n");
}

/** Successive messages of one role. Each tool result is a separate group. */
type Turn = [ChatMessage, ...ChatMessage[]];

function groupIntoTurns(messages: readonly ChatMessage[]): Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    const turn = turns.at(-1);
    if (turn === undefined || turn[0].role !== message.role || message.role === "tool") {
      turns.push([message]);
    } else {
      turn.push(message);
    }
  }
  return turns;
}

function toMessages(
  message: RequestMessage,
  index: number,
  tools: CountTokensRequest["tools"],
): ChatMessage[] {
  switch (message.role) {
    case "user":
      return toUserMessages(message, `messages.${index}.content`, tools);
    case "assistant":
      return [toAssistantMessage(message)];
    case "system":
      return [toSystemMessage(toSystemText(message.content))];
  }
}

function toSystemMessage(content: string): ChatMessage {
  return { role: "system", content };
}

/**
 * Translates a user message. Tool results come first, because they belong to the calls of the
 * preceding message.
 */
function toUserMessages(
  { content }: UserMessage,
  field: string,
  tools: CountTokensRequest["tools"],
): ChatMessage[] {
  if (typeof content === "string") return [{ role: "user", content }];
  const parts: ContentPart[] = [];
  const messages: ChatMessage[] = [];
  for (const [index, block] of content.entries()) {
    const blockField = `${field}.${index}`;
    if (block.type === "tool_result") {
      messages.push(toToolMessage(block, `${blockField}.content`, tools));
    } else parts.push(...toParts(block, blockField));
  }
  if (parts.length > 0 || messages.length === 0) {
    messages.push({ role: "user", content: joinLines(parts) });
  }
  return messages;
}

function toToolMessage(
  { tool_use_id, content, is_error: isError }: ToolResultBlock,
  field: string,
  tools: CountTokensRequest["tools"],
): ChatMessage {
  const result =
    typeof content === "string"
      ? content
      : joinLines(
          (content ?? []).flatMap((block, index): readonly ContentPart[] => {
            const blockField = `${field}.${index}`;
            return block.type === "tool_reference"
              ? [{ type: "text", text: describeReference(block, tools, blockField) }]
              : toParts(block, blockField);
          }),
        );
  return { role: "tool", toolCallId: tool_use_id, content: isError ? asError(result) : result };
}

function toParts(
  block: TextBlock | ImageBlock | DocumentBlock,
  field: string,
): readonly ContentPart[] {
  switch (block.type) {
    case "text":
      return [{ type: "text", text: block.text }];
    case "image":
      return [toImage(block, field)];
    case "document":
      return toDocument(block, `${field}.source`);
  }
}

function toDocument({ title, context, source }: DocumentBlock, field: string) {
  const label = { name: title, context };
  if (source.type !== "content") {
    const content: DocumentContent =
      source.type === "text"
        ? { type: "text", text: source.data }
        : { type: "file", data: source.data, mediaType: source.media_type };
    return toDocumentParts({ ...label, content, field: `${field}.data` });
  }
  const contentField = `${field}.content`;
  const parts: readonly ContentPart[] =
    typeof source.content === "string"
      ? [{ type: "text", text: source.content }]
      : source.content.flatMap((block, index) => toParts(block, `${contentField}.${index}`));
  return toDocumentParts({ ...label, content: { type: "parts", parts }, field: contentField });
}

function toImage({ source }: ImageBlock, field: string): MediaPart {
  const media = { type: "media", kind: "image" } as const;
  return source.type === "base64"
    ? { ...media, field: `${field}.source.data`, content: { type: "base64", text: source.data } }
    : { ...media, field: `${field}.source.url`, content: { type: "url", url: source.url } };
}

function joinLines(parts: readonly ContentPart[]): MessageContent {
  return joinContent(parts, "\n");
}

/** Marks a result as an error in its text: chat templates have no field for errors. */
function asError(content: MessageContent): MessageContent {
  const parts = partsOf(content);
  const [first] = parts;
  if (first?.type === "text" && /^\W*error/i.test(first.text)) return content;
  return joinContent([{ type: "text", text: "Error: " }, ...parts], "");
}

/**
 * Translates an assistant message. Its texts are concatenated, because the model generated them
 * without a break.
 */
function toAssistantMessage({ content }: AssistantMessage): ChatMessage {
  if (typeof content === "string") return { role: "assistant", content };
  let text = "";
  const thoughts: string[] = [];
  const toolCalls: ToolCall[] = [];
  for (const block of content) {
    switch (block.type) {
      case "text":
        text += block.text;
        break;
      case "thinking":
        thoughts.push(decodeThinking(block));
        break;
      case "tool_use":
        toolCalls.push(toToolCall(block));
        break;
      case "redacted_thinking":
    }
  }
  const reasoning = thoughts.filter((thought) => thought !== "").join("\n");
  return {
    role: "assistant",
    content: text,
    ...(reasoning !== "" && { reasoning }),
    ...(toolCalls.length > 0 && { toolCalls }),
  };
}

function toToolCall({ id, name, input }: ToolUseBlock): ToolCall {
  return { id, name, arguments: toJsonText(input) };
}

/**
 * Merges successive messages of one role in one pass: merging thousands pairwise would take
 * quadratic time.
 */
function mergeTurn(turn: Turn): ChatMessage {
  const [first] = turn;
  if (turn.length === 1) return first;
  if (first.role !== "assistant") {
    return { ...first, content: joinLines(turn.flatMap(({ content }) => partsOf(content))) };
  }
  const answers = turn.filter((message) => message.role === "assistant");
  const reasoning = answers.flatMap(({ reasoning }) => reasoning || []).join("\n");
  const toolCalls = answers.flatMap(({ toolCalls }) => toolCalls ?? []);
  return {
    role: "assistant",
    content: answers.map(({ content }) => content).join(""),
    ...(reasoning !== "" && { reasoning }),
    ...(toolCalls.length > 0 && { toolCalls }),
  };
}
