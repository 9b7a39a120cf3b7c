/**
 * Characters that a terminal or a page interprets instead of displaying: controls, format
 * characters (U+202E and the other bidirectional controls, zero-width joiners), line and paragraph
 * separators, and lone surrogates. Names of models, files and adapters must not contain them.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const ALL_HIDDEN = new RegExp(HIDDEN, "gu");

export function hasHiddenCharacters(text: string): boolean {
  return HIDDEN.test(text);
}

/**
 * Removes hidden characters from the text of another program, so that it stays within one cell of a
 * terminal table.
 */
export function withoutHiddenCharacters(text: string): string {
  return text.replaceAll(ALL_HIDDEN, "");
}

/** Escapes each hidden character as in JSON, e.g. `\u202e`. */
export function escapeHiddenCharacters(text: string): string {
  return text.replaceAll(ALL_HIDDEN, (character) =>
    Array.from(
      { length: character.length },
      (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}
