/** The last tokens of a prompt and what was generated after it: at most `count`, which may be infinite. */
export function lastTokens(
  count: number,
  promptTokens: readonly number[],
  generated: readonly number[],
): number[] {
  const fromPrompt = count - generated.length;
  if (fromPrompt <= 0) return generated.slice(generated.length - count);
  return [...promptTokens.slice(-fromPrompt), ...generated];
}
