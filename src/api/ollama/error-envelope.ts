import type { GgufdError } from "../../core/errors.js";
import type { OllamaError } from "./response-schema.js";

/** Path prefix of Ollama's API. The to-do service below it has its own error format. */
export const OLLAMA_PATH = "/api";

/** Converts an error to Ollama's format. */
export function toOllamaError({ message }: GgufdError): OllamaError {
  return { error: message };
}
