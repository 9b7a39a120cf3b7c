/** End of a sentence or line, where speech may pause. */
const PAUSE = /[.!?…:。！？](?=\s)|\n/g;

/**
 * Selects the next part of a growing text for a screen reader: whole sentences only.
 * @param spokenCharacters length of the text already announced
 * @param isComplete whether the text is complete
 * @returns the next sentences, and the length announced including them
 */
export function selectSpokenText(
  text: string,
  spokenCharacters: number,
  isComplete: boolean,
): { readonly words: string; readonly spokenCharacters: number } {
  const unspoken = text.slice(spokenCharacters);
  const pauses = [...unspoken.matchAll(PAUSE)];
  const last = pauses.at(-1);
  const end =
    isComplete || last === undefined ? (isComplete ? unspoken.length : 0) : last.index + 1;
  return { words: unspoken.slice(0, end).trim(), spokenCharacters: spokenCharacters + end };
}
