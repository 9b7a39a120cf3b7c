import type { ChatPrompt, GenerationRequest, ToolDefinition } from "../core/generation-request.js";
import type { PooledContent, PoolingRequest } from "../core/pooling.js";
import { charactersOfMessage, sizeOfRawPrompt } from "../core/prompt-size.js";
import { sumOf } from "../core/sum-of.js";

/** Of English text; others have fewer characters a token. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * Length of a request's prompt, in tokens, before it is rendered and tokenised: what waits has to be bounded
 * before that work is done for it.
 */
export function estimatedPromptTokens({ prompt }: Pick<GenerationRequest, "prompt">): number {
  if (prompt.type === "chat") return tokensOf(charactersOfChat(prompt));
  const { characters, tokens } = sizeOfRawPrompt(prompt);
  return tokens + tokensOf(characters);
}

/** Length of a request's inputs, in tokens, before they are tokenised. */
export function estimatedInputTokens({ inputs }: Pick<PoolingRequest, "inputs">): number {
  return sumOf(inputs, ({ content }) => tokensOfContent(content));
}

function tokensOfContent(content: PooledContent): number {
  switch (content.type) {
    case "text":
      return tokensOf(content.text.length);
    case "tokens":
      return content.tokens.length;
    case "pair":
      return tokensOf(content.query.length + content.document.length);
  }
}

function charactersOfChat({ messages, tools }: ChatPrompt): number {
  return sumOf(messages, charactersOfMessage) + sumOf(tools, charactersOfTool);
}

function charactersOfTool({ name, description = "", parameters }: ToolDefinition): number {
  const schema = parameters === undefined ? 0 : JSON.stringify(parameters).length;
  return name.length + description.length + schema;
}

function tokensOf(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
