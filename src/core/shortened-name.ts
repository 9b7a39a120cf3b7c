/** Longer than any name of a field or a model, misspelt ones included. */
const MAX_CHARACTERS = 200;

/** A name that a client has sent, for an error message, which must not repeat megabytes. */
export function shortenedName(name: string): string {
  return name.length <= MAX_CHARACTERS ? name : `${name.slice(0, MAX_CHARACTERS)}…`;
}
