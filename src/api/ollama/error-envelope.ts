import type { GgufdError } from "../../core/errors.js";
import type { OllamaError } from "./response-schema.js";

/** Path prefix of the dialect; the to-do service below it has a format of its own. */
export const OLLAMA_PATH = "/api";

/** An error in Ollama's format. */
export function toOllamaError({ message }: GgufdError): OllamaError {
  return { error: message };
}
