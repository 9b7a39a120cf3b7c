import type { AnswerContext, LibraryContext } from "../description/described-route.js";

/** Dependencies of the Ollama routes. */
export interface OllamaContext extends AnswerContext, LibraryContext {
  /** Package version of ggufd. */
  readonly version: string;
}
