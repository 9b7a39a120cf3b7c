const NON_ASCII = /[\u0080-\uffff]/;
const MARKS = /\p{M}+/gu;

/**
 * Folds case and accents, so that texts that differ only in these are equal. The folded text of two
 * joined texts is their joined folded texts.
 */
export function foldText(text: string): string {
  const lowerCase = text.toLowerCase();
  if (!NON_ASCII.test(lowerCase)) return lowerCase;
  // Compatibility forms: ligatures and full-width letters equal their usual forms.
  return lowerCase.normalize("NFKD").replace(MARKS, "").replaceAll("ς", "σ");
}

/** Returns the distinct folded words of a query. */
export function foldWords(query: string): readonly string[] {
  return [...new Set(foldText(query).split(/\s+/))].filter((word) => word !== "");
}

/** A folded text with the position of each of its code units in the original text. */
interface FoldedText {
  readonly folded: string;
  /** One more than there are code units: the last one is the end of the original text. */
  readonly positions: readonly number[];
}

/** Folds a short text character by character. */
export function foldWithPositions(text: string): FoldedText {
  let folded = "";
  const positions: number[] = [];
  let position = 0;
  for (const character of text) {
    const foldedCharacter = foldText(character);
    folded += foldedCharacter;
    for (let unit = 0; unit < foldedCharacter.length; unit++) positions.push(position);
    position += character.length;
  }
  return { folded, positions: [...positions, position] };
}
