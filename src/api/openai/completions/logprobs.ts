import type { ScoredToken, TokenScore } from "../../../core/generation-event.js";
import { toLogprob } from "../logprobs.js";
import { textOfBytes } from "../text-of-bytes.js";
import type { TextLogprobs } from "./response-schema.js";

/**
 * Log-probabilities in the older shape: one list for each property.
 * @param offset where the first of the tokens is in the completion, in characters (code points)
 */
export function toTextLogprobs(scores: readonly TokenScore[], offset: number): TextLogprobs {
  const lengths = textLengths(scores);
  return {
    tokens: scores.map(nameOf),
    token_logprobs: scores.map(({ logProbability }) => toLogprob(logProbability)),
    top_logprobs: scores.map(topOf),
    text_offset: lengths.map((length) => offset + length),
  };
}

/** The characters of a text that some tokens concatenate to: code points, as in Python. */
export function characterCount(text: string): number {
  return [...text].length;
}

/** The characters that are complete before each token. */
function textLengths(scores: readonly TokenScore[]): readonly number[] {
  const decoded = new TextDecoder();
  let length = 0;
  return scores.map(({ bytes }) => {
    const before = length;
    length += characterCount(decoded.decode(Uint8Array.from(bytes), { stream: true }));
    return before;
  });
}

/** The token itself is among them, as OpenAI documents it. */
function topOf(score: TokenScore): Record<string, number> {
  const tokens: readonly ScoredToken[] = [...score.top, score];
  return Object.fromEntries(
    tokens.map((token) => [nameOf(token), toLogprob(token.logProbability)]),
  );
}

/** A token's text; of one that is no text, its bytes as OpenAI writes them. */
function nameOf({ bytes }: ScoredToken): string {
  const escaped = () => bytes.map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
  return textOfBytes(Uint8Array.from(bytes)) ?? `bytes:${escaped()}`;
}
