import type { ChatMessage, GenerationRequest } from "./generation-request.js";
import {
  type ContentPart,
  type MediaAmount,
  type MediaPart,
  type MessageContent,
  mediaOf,
} from "./media.js";
import { sumBy } from "./sum-by.js";

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

/** Sums the decoded media of a prompt; `undefined`: there are none. */
export function sumMedia(prompt: Prompt): MediaAmount | undefined {
  const amounts = mediaOfPrompt(prompt).flatMap(({ content }) =>
    content.type === "divided" ? (content.amount ?? []) : [],
  );
  if (amounts.length === 0) return undefined;
  return {
    images: sumBy(amounts, (one) => one.images),
    audioSeconds: sumBy(amounts, (one) => one.audioSeconds),
  };
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
