/**
 * Characters that a terminal or a page obeys instead of showing: controls, format characters (U+202E and the other
 * bidirectional controls, zero-width joiners), line and paragraph separators, and lone surrogates. Names of models, files
 * and adapters have none.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const ALL_HIDDEN = new RegExp(HIDDEN, "gu");

export function hasHiddenCharacters(text: string): boolean {
  return HIDDEN.test(text);
}

/** A text of another program as one cell of a terminal. */
export function withoutHiddenCharacters(text: string): string {
  return text.replaceAll(ALL_HIDDEN, "");
}

/** A text with `\u202e` in place of such a character, as JSON escapes it. */
export function escapeHiddenCharacters(text: string): string {
  return text.replaceAll(ALL_HIDDEN, (character) =>
    Array.from(
      { length: character.length },
      (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}
