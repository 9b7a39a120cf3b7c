import type { Vocabulary } from "./vocabulary.js";

/** A character that tokenisers merge with nothing. */
const SEPARATOR = "\u0001";

/**
 * A tokeniser of texts that go on after others. Many SentencePiece vocabularies put a space before a
 * text, whatever it is; after a separator, which is cut off again, there is none.
 */
export function continuationTokenizer({
  tokenize,
  bytesOf,
}: Pick<Vocabulary, "tokenize" | "bytesOf">): (text: string) => readonly number[] {
  const literal = (text: string) => tokenize(text, "literal");
  const [first] = literal("a");
  const putsSpaceBefore = first !== undefined && bytesOf(first)[0] === " ".charCodeAt(0);
  if (!putsSpaceBefore) return literal;
  const separator = literal(SEPARATOR);
  return (text) => {
    const tokens = literal(SEPARATOR + text);
    const isSeparate = separator.every((token, index) => token === tokens[index]);
    return isSeparate ? tokens.slice(separator.length) : literal(text);
  };
}
