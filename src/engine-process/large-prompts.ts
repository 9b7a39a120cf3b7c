import type { ChatPrompt } from "../core/generation-request.js";

/**
 * Characters of a large prompt: tokenising so many takes some 4 ms, and what is larger would delay the
 * next token of every stream.
 */
const MIN_LARGE_CHARACTERS = 8192;
/** Rendering a message takes about as long as tokenising so many characters. */
const CHARACTERS_PER_MESSAGE = 64;

/**
 * Whether preparing a prompt may take long enough to be done outside the engine's process. Tools are not
 * measured: their schemas are rarely short, and writing them down just for that takes time as well.
 */
export function isLargePrompt({ messages, tools }: ChatPrompt): boolean {
  if (tools.length > 0) return true;
  let characters = messages.length * CHARACTERS_PER_MESSAGE;
  for (const { content } of messages) {
    characters += content.length;
    if (characters >= MIN_LARGE_CHARACTERS) return true;
  }
  return characters >= MIN_LARGE_CHARACTERS;
}
