import type { OutputFormat, ReadableTool } from "../../../core/output-format.js";

/** How generated text is parsed, as determined by the prompt. Serialisable. */
export interface OutputReading extends OutputFormat {
  /**
   * `reasoning`: the prompt ends inside an open reasoning block. `optional-reasoning`: the model
   * decides whether it opens one. `anything`: the model is not expected to reason, but its output
   * is parsed in the same way. `text`: the prompt ends inside the answer's text, which is
   * continued: neither reasoning nor a message header comes first. `raw-text`: there are no
   * messages, and marks have no meaning.
   */
  readonly beginsWith: "anything" | "optional-reasoning" | "reasoning" | "text" | "raw-text";
  /** `ignored`: tool calls are returned as plain text. */
  readonly toolCalls: "parsed" | "ignored";
  /** The tools of the prompt. */
  readonly tools: readonly ReadableTool[];
  /**
   * Names of the functions that may be called, if a grammar constrains the answer; calls of other
   * names are plain text. If absent, any name may be called.
   */
  readonly callable?: readonly string[];
}

/**
 * Returns whether an answer begins at the end of the prompt, rather than continuing something that
 * the prompt has begun.
 */
export function beginsAnew({ beginsWith }: Pick<OutputReading, "beginsWith">): boolean {
  return beginsWith === "anything" || beginsWith === "optional-reasoning";
}
