import type { ChatMessage, GenerationRequest, RawPrompt } from "../core/generation-request.js";

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
export function isLargePrompt({
  prompt,
  constraint,
  prediction = "",
}: Pick<GenerationRequest, "prompt" | "constraint" | "prediction">): boolean {
  if (constraint !== undefined) return true;
  if (prompt.type !== "chat") return prediction.length + sizeOf(prompt) >= MIN_LARGE_CHARACTERS;
  const { messages, tools, templateVariables } = prompt;
  if (tools.length > 0 || !Object.values(templateVariables).every(isSmall)) return true;
  let characters = prediction.length + messages.length * CHARACTERS_PER_MESSAGE;
  for (const message of messages) {
    characters += charactersOf(message);
    if (characters >= MIN_LARGE_CHARACTERS) return true;
  }
  return characters >= MIN_LARGE_CHARACTERS;
}

/** In characters; token ids are passed on faster than a text of so many. */
function sizeOf(prompt: RawPrompt): number {
  switch (prompt.type) {
    case "text":
      return prompt.text.length;
    case "tokens":
      return prompt.tokens.length;
    case "mixed":
      return prompt.parts.reduce<number>(
        (sum, part) => sum + (typeof part === "string" ? part.length : 1),
        0,
      );
    case "infill":
      return (prompt.files ?? []).reduce(
        (sum, { name, text }) => sum + name.length + text.length,
        prompt.prefix.length + prompt.suffix.length,
      );
  }
}

function isSmall(value: unknown): boolean {
  if (typeof value === "string") return value.length < SHORT_TEXT;
  return typeof value === "boolean" || typeof value === "number";
}

function charactersOf(message: ChatMessage): number {
  const { content } = message;
  if (message.role !== "assistant")
    return content.length + ("name" in message ? (message.name?.length ?? 0) : 0);
  const { reasoning = "", toolCalls = [] } = message;
  const ofCalls = toolCalls.reduce(
    (sum, call) => sum + call.name.length + call.arguments.length,
    0,
  );
  return content.length + reasoning.length + ofCalls;
}
