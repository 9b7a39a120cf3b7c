import type { ToolCall } from "../../core/generation-request.js";
import { writtenObject } from "../../core/written-json.js";
import type { ChatResponse, GenerateResponse, PrintedToolCall } from "./response-schema.js";

/** What a line, or a whole answer, adds to the answer. */
export interface AnswerContent {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly ToolCall[];
}

/** The content in the fields of a route. */
export type ToFields<Fields extends object> = (content: AnswerContent) => Fields;

export type ChatFields = Pick<ChatResponse, "message">;
export type GenerateFields = Pick<GenerateResponse, "response" | "thinking">;

/** In the fields of `/api/chat`. */
export function toChatFields({ text = "", reasoning, calls = [] }: AnswerContent): ChatFields {
  const toolCalls = calls.flatMap(toToolCall);
  return {
    message: {
      role: "assistant",
      content: text,
      ...(reasoning && { thinking: reasoning }),
      ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
    },
  };
}

/** In the fields of `/api/generate`, which has no tools. */
export function toGenerateFields({ text = "", reasoning }: AnswerContent): GenerateFields {
  return { response: text, ...(reasoning && { thinking: reasoning }) };
}

/**
 * Ollama's calls have an object of arguments. One that the token limit cut off has none, and is left
 * out: nobody should carry out a call with a part of its arguments.
 */
function toToolCall({ id, name, arguments: text }: ToolCall): PrintedToolCall[] {
  const written = writtenObject(text);
  return written === undefined ? [] : [{ id, function: { name, arguments: written } }];
}
