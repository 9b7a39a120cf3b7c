import { withoutHiddenCharacters } from "./hidden-characters.js";

/**
 * Returns an error's message on one line, because parser messages quote line breaks and control
 * characters.
 */
export function formatReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return withoutHiddenCharacters(message.replaceAll(/[\s\p{Cc}]+/gu, " ")).trim();
}
