import type { GenerationRequest } from "../core/generation-request.js";
import { charactersOfMessage, sizeOfRawPrompt } from "../core/prompt-size.js";

/**
 * Length of a large prompt in characters. Tokenising that many takes some 4 ms; a larger prompt
 * would delay the next token of every stream.
 */
const MIN_LARGE_CHARACTERS = 8192;
/** Characters whose tokenisation takes about as long as rendering one message. */
const CHARACTERS_PER_MESSAGE = 64;
/** Length of a short variable in characters; names of levels and modes are shorter. */
const SHORT_TEXT = 32;

/**
 * Whether preparing a prompt may take long enough to be done outside the engine's process. Requests
 * with tools or constraints always are: schemas are rarely short, and serialising them to measure
 * them takes time too.
 */
export function isPreparedElsewhere({
  prompt,
  constraint,
  prediction = "",
}: Pick<GenerationRequest, "prompt" | "constraint" | "prediction">): boolean {
  if (constraint !== undefined) return true;
  if (prompt.type !== "chat") {
    // Token ids are forwarded faster than a text of the same length.
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
