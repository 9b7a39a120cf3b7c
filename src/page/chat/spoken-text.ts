/** The end of a sentence or of a line, behind which a pause is no interruption. */
const PAUSE = /[.!?…:。！？](?=\s)|\n/g;

/**
 * What of a growing text a screen reader is told next: whole sentences, so that it never begins with a half one.
 * @param spokenCharacters of the text that it was told before
 * @param isComplete whether no more will come
 * @returns the next sentences, and how much of the text it was told with them
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
