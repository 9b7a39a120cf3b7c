import type { Vocabulary } from "../vocabulary/vocabulary.js";

/** A prompt's tokens with exactly one BOS for models that use one. */
export function withBos(
  tokens: readonly number[],
  { prependedBos }: Pick<Vocabulary, "prependedBos">,
): readonly number[] {
  const lacksBos = prependedBos !== undefined && tokens[0] !== prependedBos;
  return lacksBos ? [prependedBos, ...tokens] : tokens;
}
