import type { ChatMessage, GenerationRequest } from "./generation-request.js";
import { type ContentPart, type MediaPart, type MessageContent, mediaOf } from "./media.js";

type Prompt = GenerationRequest["prompt"];

/** Returns the media of a prompt, in order. */
export function mediaOfPrompt(prompt: Prompt): readonly MediaPart[] {
  switch (prompt.type) {
    case "chat":
      return prompt.messages.flatMap(({ content }) => mediaOf(content));
    case "media":
      return mediaOf(prompt.parts);
    default:
      return [];
  }
}

/** Returns a copy of the prompt with each media part replaced. */
export function replaceMedia<Given extends Prompt>(
  prompt: Given,
  replace: (part: MediaPart) => MediaPart,
): Given {
  const replacePart = (part: ContentPart) => (part.type === "media" ? replace(part) : part);
  switch (prompt.type) {
    case "chat":
      return {
        ...prompt,
        messages: prompt.messages.map((message) => replaceContent(message, replacePart)),
      };
    case "media":
      return { ...prompt, parts: prompt.parts.map(replacePart) };
    default:
      return prompt;
  }
}

function replaceContent(
  message: ChatMessage,
  toReplaced: (part: ContentPart) => ContentPart,
): ChatMessage {
  if (message.role === "assistant" || typeof message.content === "string") return message;
  const content: MessageContent = message.content.map(toReplaced);
  return { ...message, content };
}
