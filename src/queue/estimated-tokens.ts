import type { ChatPrompt, GenerationRequest, ToolDefinition } from "../core/generation-request.js";
import type { PooledContent, PoolingRequest } from "../core/pooling.js";
import { charactersOfMessage, sizeOfRawPrompt } from "../core/prompt-size.js";
import { sumBy } from "../core/sum-by.js";

/** Average for English text; other languages have fewer characters per token. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * Estimates the prompt length of a request, in tokens, before rendering and tokenising: the queue
 * must be bounded before that work is done.
 */
export function estimatePromptTokens({ prompt }: Pick<GenerationRequest, "prompt">): number {
  if (prompt.type === "chat") return estimateTokens(charactersOfChat(prompt));
  const { characters, tokens } = sizeOfRawPrompt(prompt);
  return tokens + estimateTokens(characters);
}

/** Estimates the length of a pooling request's inputs, in tokens, before they are tokenised. */
export function estimateInputTokens({ inputs }: Pick<PoolingRequest, "inputs">): number {
  return sumBy(inputs, ({ content }) => estimateContentTokens(content));
}

function estimateContentTokens(content: PooledContent): number {
  switch (content.type) {
    case "text":
      return estimateTokens(content.text.length);
    case "tokens":
      return content.tokens.length;
    case "mixed":
      return sumBy(content.parts, (part) =>
        typeof part === "string" ? estimateTokens(part.length) : 1,
      );
    case "pair":
      return estimateTokens(content.query.length + content.document.length);
  }
}

function charactersOfChat({ messages, tools }: ChatPrompt): number {
  return sumBy(messages, charactersOfMessage) + sumBy(tools, charactersOfTool);
}

function charactersOfTool({ name, description = "", parameters }: ToolDefinition): number {
  const schemaCharacters = parameters === undefined ? 0 : JSON.stringify(parameters).length;
  return name.length + description.length + schemaCharacters;
}

function estimateTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
