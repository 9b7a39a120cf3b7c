/** Characters of a token in text of the Latin alphabet, and in code. */
const ASCII_PER_TOKEN = 4;
/** Characters of a token in other scripts. */
const OTHERS_PER_TOKEN = 1.5;

/** Estimates the number of tokens of a text; the real number depends on the model. */
export function estimateTokens(text: string): number {
  let ascii = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) < 128) ascii++;
  return Math.ceil(ascii / ASCII_PER_TOKEN + (text.length - ascii) / OTHERS_PER_TOKEN);
}

/** Share of the context above which attached files are reported. */
const LARGE_SHARE = 0.5;

/**
 * Describes attached files that leave little or no room in the model's context.
 * @param tokens estimated tokens of all files
 * @param context tokens of the model's context; `undefined`: unknown
 * @returns `undefined`: there is room
 */
export function findContextProblem(
  tokens: number,
  context: number | undefined,
): string | undefined {
  if (context === undefined || tokens <= context * LARGE_SHARE) return undefined;
  const [about, all] = [tokens.toLocaleString(), context.toLocaleString()];
  return tokens > context
    ? `The files have about ${about} tokens, more than the model’s context of ${all}. Remove a file, or attach a part of it.`
    : `The files have about ${about} tokens, over half of the model’s context of ${all}. Little room remains for the conversation.`;
}
