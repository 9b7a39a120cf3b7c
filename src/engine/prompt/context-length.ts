import { GgufdError } from "../../core/errors.js";
import type { ChatPrompt } from "../../core/generation-request.js";

/** How many characters a model can read at most. */
export interface ReadingLimits {
  /** Tokens of one slot. */
  readonly contextSize: number;
  /** Characters (UTF-16 units) of the longest token. */
  readonly longestToken: number;
}

/** Templates may leave parts of a conversation out, such as earlier reasoning, but not this much. */
const MOST_LEFT_OUT = 4;

/**
 * Refuses a conversation that cannot fit before it is rendered: rendering and tokenising megabytes
 * takes seconds in which nothing else happens.
 * @throws {GgufdError} `context_length_exceeded`
 */
export function refuseOversizedPrompt({ messages }: ChatPrompt, limits: ReadingLimits): void {
  const { contextSize, longestToken } = limits;
  // Every message takes a token at least.
  if (messages.length >= contextSize) {
    throw contextLengthExceeded(messages.length, contextSize, "at least");
  }
  const characters = messages.reduce((sum, { content }) => sum + content.length, 0);
  const tokens = Math.ceil(characters / longestToken);
  if (tokens >= contextSize * MOST_LEFT_OUT) {
    throw contextLengthExceeded(tokens, contextSize, "at least");
  }
}

/**
 * Refuses a rendered prompt that cannot fit before it is tokenised.
 * @throws {GgufdError} `context_length_exceeded`
 */
export function refuseOversizedText(
  text: string,
  { contextSize, longestToken }: ReadingLimits,
): void {
  const tokens = Math.ceil(text.length / longestToken);
  if (tokens >= contextSize) throw contextLengthExceeded(tokens, contextSize, "at least");
}

/** The sentence is OpenAI's: agents look for it to shorten their history. */
export function contextLengthExceeded(
  promptTokens: number,
  contextSize: number,
  counted: "exactly" | "at least",
): GgufdError {
  const about = counted === "exactly" ? "" : "at least ";
  const requested = `${about}${promptTokens + 1}`;
  return new GgufdError(
    "context_length_exceeded",
    `This model's maximum context length is ${contextSize} tokens. However, you requested ` +
      `${requested} tokens (${about}${promptTokens} in the messages, at least 1 in the ` +
      "completion). Please reduce the length of the messages.",
    {
      param: "messages",
      details: [
        {
          field: "messages",
          reason: `expected less than ${contextSize} tokens, got ${about}${promptTokens}`,
        },
      ],
    },
  );
}
