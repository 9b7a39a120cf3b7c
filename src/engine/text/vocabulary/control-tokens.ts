/**
 * A pattern that matches control-token texts, longest first as in llama.cpp; `undefined` for a model
 * without any.
 */
export function controlTokenPattern(texts: readonly string[]): RegExp | undefined {
  const alternatives = texts
    .filter((text) => text !== "")
    .toSorted((a, b) => b.length - a.length)
    .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return alternatives.length === 0 ? undefined : new RegExp(alternatives.join("|"), "g");
}

/**
 * Characters (UTF-16 units) of a piece, more or less, unless it has no control token. llama.cpp looks for each control token from every
 * one that it has found to the end of the text: thousands of them in a megabyte take minutes.
 */
const PIECE_CHARACTERS = 4096;

const WHITE_SPACE = /\s/;

/**
 * The pieces of a text whose control tokens are parsed, each of which llama.cpp tokenises as it does within the text: a
 * piece begins with a control token, which the text before it is tokenised without anyway.
 * @param controlTokens matches their texts
 * @param stripping those that take the white space before them away
 */
export function* parsedPieces(
  text: string,
  controlTokens: RegExp | undefined,
  stripping: ReadonlySet<string>,
): Generator<string, void> {
  if (text.length <= PIECE_CHARACTERS || controlTokens === undefined) {
    yield text;
    return;
  }
  let start = 0;
  let hasToken = false;
  for (const { 0: token, index } of text.matchAll(controlTokens)) {
    const isLong = hasToken && index + token.length - start > PIECE_CHARACTERS;
    if (isLong && !(stripping.has(token) && WHITE_SPACE.test(text.charAt(index - 1)))) {
      yield text.slice(start, index);
      start = index;
    }
    hasToken = true;
  }
  yield text.slice(start);
}
