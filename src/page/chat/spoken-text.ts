/** End of a sentence or line, where speech may pause. */
const PAUSE = /[.!?…:。！？](?=\s)|\n/g;

/**
 * Selects the next part of a growing text for a screen reader: whole sentences only.
 * @param spokenCharacters length of the text already announced
 * @param isComplete whether the text is complete
 * @returns the next sentences, and the length announced including them
 */
export function nextSpoken(
  text: string,
  spokenCharacters: number,
  isComplete: boolean,
): { readonly words: string; readonly spokenCharacters: number } {
  const rest = text.slice(spokenCharacters);
  const pauses = [...rest.matchAll(PAUSE)];
  const last = pauses.at(-1);
  const end = isComplete || last === undefined ? (isComplete ? rest.length : 0) : last.index + 1;
  return { words: rest.slice(0, end).trim(), spokenCharacters: spokenCharacters + end };
}
