import type { GenerationRequest } from "../core/generation-request.js";
import { charactersOfMessage, sizeOfRawPrompt } from "../core/prompt-size.js";

/**
 * Characters of a large prompt: tokenising so many takes some 4 ms, and what is larger would delay the
 * next token of every stream.
 */
const MIN_LARGE_CHARACTERS = 8192;
/** Rendering a message takes about as long as tokenising so many characters. */
const CHARACTERS_PER_MESSAGE = 64;
/** Names of levels and modes are shorter. */
const SHORT_TEXT = 32;

/**
 * Whether preparing a prompt may take long enough to be done outside the engine's process. Tools and
 * constraints are not measured: schemas are rarely short, and writing them down just for that takes time as
 * well.
 */
export function isPreparedElsewhere({
  prompt,
  constraint,
  prediction = "",
}: Pick<GenerationRequest, "prompt" | "constraint" | "prediction">): boolean {
  if (constraint !== undefined) return true;
  if (prompt.type !== "chat") {
    // Token ids are passed on faster than a text of so many.
    const { characters, tokens } = sizeOfRawPrompt(prompt);
    return prediction.length + characters + tokens >= MIN_LARGE_CHARACTERS;
  }
  const { messages, tools, templateVariables } = prompt;
  if (tools.length > 0 || !Object.values(templateVariables).every(isSmall)) return true;
  let characters = prediction.length + messages.length * CHARACTERS_PER_MESSAGE;
  for (const message of messages) {
    characters += charactersOfMessage(message);
    if (characters >= MIN_LARGE_CHARACTERS) return true;
  }
  return characters >= MIN_LARGE_CHARACTERS;
}

function isSmall(value: unknown): boolean {
  if (typeof value === "string") return value.length < SHORT_TEXT;
  return typeof value === "boolean" || typeof value === "number";
}
