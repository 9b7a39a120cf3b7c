import type { ChatMessage, RawPrompt } from "./generation-request.js";
import { charactersOfContent } from "./media.js";
import { sumBy } from "./sum-by.js";

/**
 * Maximum number of messages, or items, of a conversation: far more than clients send, and still
 * parsed within milliseconds.
 */
export const MAX_MESSAGES = 5_000;

/** Returns the number of characters of a message: its texts and its tool calls. */
export function charactersOfMessage(message: ChatMessage): number {
  const { content } = message;
  if (message.role !== "assistant") return charactersOfContent(content) + nameOf(message).length;
  const { reasoning = "", toolCalls = [] } = message;
  const callCharacters = sumBy(toolCalls, (call) => call.name.length + call.arguments.length);
  return content.length + reasoning.length + callCharacters;
}

/** Size of a prompt without messages. */
export interface RawPromptSize {
  readonly characters: number;
  /** Number of tokens given as ids. */
  readonly tokens: number;
}

/** Returns the number of characters and token ids of a prompt without messages. */
export function sizeOfRawPrompt(prompt: RawPrompt): RawPromptSize {
  switch (prompt.type) {
    case "text":
      return { characters: prompt.text.length, tokens: 0 };
    case "tokens":
      return { characters: 0, tokens: prompt.tokens.length };
    case "mixed": {
      const texts = prompt.parts.filter((part) => typeof part === "string");
      const tokens = prompt.parts.length - texts.length;
      return { characters: sumBy(texts, ({ length }) => length), tokens };
    }
    case "media":
      return { characters: charactersOfContent(prompt.parts), tokens: 0 };
    case "infill": {
      const { prefix, suffix, files = [] } = prompt;
      const fileCharacters = sumBy(files, ({ name, text }) => name.length + text.length);
      return { characters: prefix.length + suffix.length + fileCharacters, tokens: 0 };
    }
  }
}

function nameOf(message: Exclude<ChatMessage, { readonly role: "assistant" }>): string {
  return "name" in message ? (message.name ?? "") : "";
}
