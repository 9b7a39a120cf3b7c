import type {
  ChatMessage,
  ChatPrompt,
  GenerationRequest,
  ToolDefinition,
} from "../core/generation-request.js";
import type { PooledContent, PoolingRequest } from "../core/pooling.js";

/** Of English text; others have fewer characters a token. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * Length of a request's prompt, in tokens, before it is rendered and tokenised: what waits has to be bounded
 * before that work is done for it.
 */
export function estimatedPromptTokens({ prompt }: Pick<GenerationRequest, "prompt">): number {
  switch (prompt.type) {
    case "chat":
      return tokensOf(charactersOfChat(prompt));
    case "text":
      return tokensOf(prompt.text.length);
    case "tokens":
      return prompt.tokens.length;
    case "mixed":
      return sumOf(prompt.parts, (part) => (typeof part === "string" ? tokensOf(part.length) : 1));
    case "infill": {
      const files = sumOf(prompt.files ?? [], ({ name, text }) => name.length + text.length);
      return tokensOf(prompt.prefix.length + prompt.suffix.length + files);
    }
  }
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

function charactersOfMessage(message: ChatMessage): number {
  const { content } = message;
  if (message.role !== "assistant") return content.length;
  const { reasoning = "", toolCalls = [] } = message;
  return content.length + reasoning.length + sumOf(toolCalls, (call) => call.arguments.length);
}

function charactersOfTool({ name, description = "", parameters }: ToolDefinition): number {
  const schema = parameters === undefined ? 0 : JSON.stringify(parameters).length;
  return name.length + description.length + schema;
}

function tokensOf(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

function sumOf<Item>(items: readonly Item[], sizeOf: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + sizeOf(item), 0);
}
