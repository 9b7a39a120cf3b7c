import type { AnswerContext, LibraryContext } from "../description/described-route.js";

/** What the handlers of this dialect need. */
export interface OllamaContext extends AnswerContext, LibraryContext {
  /** The package version. */
  readonly version: string;
}
