import { createRefusal, GgufdError } from "../../../core/errors.js";
import type { ChatPrompt } from "../../../core/generation-request.js";
import { charactersOfContent } from "../../../core/media.js";

/** Limits that bound the number of characters in a prompt. */
export interface PromptLimits {
  /** Maximum tokens of one request. */
  readonly contextSize: number;
  /** UTF-16 code units of the longest token. */
  readonly longestToken: number;
}

/**
 * Assumed maximum ratio of a conversation's length to that of its rendered prompt: templates may
 * omit parts of a conversation, such as earlier reasoning.
 */
const MAX_OMITTED_FACTOR = 4;

/**
 * Rejects a conversation that cannot fit before it is rendered, because rendering and tokenizing
 * megabytes blocks the event loop for seconds.
 * @throws {GgufdError} `context_length_exceeded`
 */
export function rejectOversizedPrompt({ messages }: ChatPrompt, limits: PromptLimits): void {
  const { contextSize, longestToken } = limits;
  // Every message takes at least one token.
  if (messages.length >= contextSize) {
    throw createContextLengthError(messages.length, contextSize, "at least");
  }
  const characters = messages.reduce((sum, { content }) => sum + charactersOfContent(content), 0);
  const tokens = Math.ceil(characters / longestToken);
  if (tokens >= contextSize * MAX_OMITTED_FACTOR) {
    throw createContextLengthError(tokens, contextSize, "at least");
  }
}

/**
 * Rejects a rendered prompt that cannot fit before it is tokenized.
 * @param field the request field that the text comes from
 * @throws {GgufdError} `context_length_exceeded`
 */
export function rejectOversizedText(
  text: string,
  { contextSize, longestToken }: PromptLimits,
  field = "messages",
): void {
  const tokens = Math.ceil(text.length / longestToken);
  if (tokens >= contextSize) throw createContextLengthError(tokens, contextSize, "at least", field);
}

/** Creates the error with OpenAI's wording, which agents match to shorten their history. */
export function createContextLengthError(
  promptTokens: number,
  contextSize: number,
  counted: "exactly" | "at least",
  field = "messages",
): GgufdError {
  const subject = field === "messages" ? "messages" : "prompt";
  const qualifier = counted === "exactly" ? "" : "at least ";
  const requested = `${qualifier}${promptTokens + 1}`;
  return new GgufdError(
    "context_length_exceeded",
    `This model's maximum context length is ${contextSize} tokens. However, you requested ` +
      `${requested} tokens (${qualifier}${promptTokens} in the ${subject}, at least 1 in the ` +
      `completion). Please reduce the length of the ${field}.`,
    {
      param: field,
      exceeded: { promptTokens, contextSize },
      details: [
        {
          field,
          reason: `expected less than ${contextSize} tokens, got ${qualifier}${promptTokens}`,
        },
      ],
    },
  );
}

/**
 * Rejects token ids outside the vocabulary.
 * @param fieldOf returns the request field of the token at an index
 * @throws {GgufdError} `invalid_request` for the first unknown id
 */
export function rejectUnknownTokens(
  tokens: Iterable<number>,
  vocabularySize: number,
  fieldOf: (index: number) => string,
): void {
  let index = 0;
  for (const token of tokens) {
    if (token >= vocabularySize) {
      const reason = `expected a token id from 0 to ${vocabularySize - 1}, got ${token}`;
      throw createRefusal("invalid_request", [{ field: fieldOf(index), reason }]);
    }
    index++;
  }
}
