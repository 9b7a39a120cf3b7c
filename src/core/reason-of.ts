import { withoutHiddenCharacters } from "./hidden-characters.js";

/** An error's message on one line: parser messages quote line breaks and control characters. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return withoutHiddenCharacters(message.replaceAll(/[\s\p{Cc}]+/gu, " ")).trim();
}
