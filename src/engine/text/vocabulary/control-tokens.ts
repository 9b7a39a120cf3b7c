/**
 * Returns a pattern that matches control-token texts, longest first as in llama.cpp; `undefined`
 * for a model without any.
 */
export function buildControlTokenPattern(texts: readonly string[]): RegExp | undefined {
  const alternatives = texts
    .filter((text) => text !== "")
    .toSorted((a, b) => b.length - a.length)
    .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return alternatives.length === 0 ? undefined : new RegExp(alternatives.join("|"), "g");
}

/**
 * Approximate size of a piece in UTF-16 code units, unless it contains no control token. After each
 * control token that it finds, llama.cpp searches the rest of the text for all control tokens:
 * thousands of them in a megabyte take minutes.
 */
const PIECE_CHARACTERS = 4096;

const WHITE_SPACE = /\s/;

/**
 * Splits a text whose control tokens are parsed into pieces that llama.cpp tokenizes as it would
 * within the text: a piece begins with a control token, before which llama.cpp splits the text
 * anyway.
 * @param controlTokens matches the texts of control tokens
 * @param stripping texts of control tokens that strip the white space before them
 */
export function* splitIntoPieces(
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
