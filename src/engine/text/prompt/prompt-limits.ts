import { GgufdError, refusalOf } from "../../../core/errors.js";
import type { ChatPrompt } from "../../../core/generation-request.js";
import { charactersOfContent } from "../../../core/media.js";

/** The limits that bound how many characters a prompt can have. */
export interface PromptLimits {
  /** What one request may hold. */
  readonly contextSize: number;
  /** Characters (UTF-16 units) of the longest token. */
  readonly longestToken: number;
}

/** Templates may omit parts of a conversation, such as earlier reasoning: at most three quarters. */
const MAX_OMITTED_FACTOR = 4;

/**
 * Rejects a conversation that cannot fit before it is rendered: rendering and tokenising megabytes
 * blocks the event loop for seconds.
 * @throws {GgufdError} `context_length_exceeded`
 */
export function refuseOversizedPrompt({ messages }: ChatPrompt, limits: PromptLimits): void {
  const { contextSize, longestToken } = limits;
  // Every message takes at least one token.
  if (messages.length >= contextSize) {
    throw contextLengthExceeded(messages.length, contextSize, "at least");
  }
  const characters = messages.reduce((sum, { content }) => sum + charactersOfContent(content), 0);
  const tokens = Math.ceil(characters / longestToken);
  if (tokens >= contextSize * MAX_OMITTED_FACTOR) {
    throw contextLengthExceeded(tokens, contextSize, "at least");
  }
}

/**
 * Rejects a rendered prompt that cannot fit before it is tokenised.
 * @param field of the request, which it comes from
 * @throws {GgufdError} `context_length_exceeded`
 */
export function refuseOversizedText(
  text: string,
  { contextSize, longestToken }: PromptLimits,
  field = "messages",
): void {
  const tokens = Math.ceil(text.length / longestToken);
  if (tokens >= contextSize) throw contextLengthExceeded(tokens, contextSize, "at least", field);
}

/** The wording is OpenAI's: agents match it to shorten their history. */
export function contextLengthExceeded(
  promptTokens: number,
  contextSize: number,
  counted: "exactly" | "at least",
  field = "messages",
): GgufdError {
  const what = field === "messages" ? "messages" : "prompt";
  const about = counted === "exactly" ? "" : "at least ";
  const requested = `${about}${promptTokens + 1}`;
  return new GgufdError(
    "context_length_exceeded",
    `This model's maximum context length is ${contextSize} tokens. However, you requested ` +
      `${requested} tokens (${about}${promptTokens} in the ${what}, at least 1 in the ` +
      `completion). Please reduce the length of the ${field}.`,
    {
      param: field,
      details: [
        {
          field,
          reason: `expected less than ${contextSize} tokens, got ${about}${promptTokens}`,
        },
      ],
    },
  );
}

/**
 * Rejects token ids that are none of the vocabulary's.
 * @param fieldOf the request's field of the token at a position
 * @throws {GgufdError} `invalid_request` for the first of them
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
      throw refusalOf("invalid_request", [{ field: fieldOf(index), reason }]);
    }
    index++;
  }
}
