import type { Vocabulary } from "../vocabulary/vocabulary.js";

/** Twice as many as usual: tokenising megabytes of which a context holds little takes seconds. */
const MAX_CHARACTERS_PER_TOKEN = 8;

/**
 * Tokens of the text that a client expects of an answer, as far as an answer can be as long.
 * @param contextSize what one request may hold, in tokens
 */
export function predictedTokens(
  text: string,
  vocabulary: Pick<Vocabulary, "tokenize">,
  contextSize: number,
): readonly number[] {
  const written = text.slice(0, contextSize * MAX_CHARACTERS_PER_TOKEN);
  return vocabulary.tokenize(written, "literal").slice(0, contextSize);
}
