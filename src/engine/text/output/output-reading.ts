import type { OutputFormat, ReadableTool } from "../../../core/output-format.js";

/** How the generated text is parsed, as determined by the prompt. Plain data. */
export interface OutputReading extends OutputFormat {
  /**
   * `reasoning`: the prompt ends inside an open reasoning block. `optional-reasoning`: the model decides
   * whether it opens one. `anything`: the model is not expected to reason, but what it writes is read
   * in the same way. `text`: the prompt ends inside the answer's text, which is continued: neither
   * reasoning nor a message header comes first. `raw-text`: there are no messages, and no marks mean
   * anything.
   */
  readonly beginsWith: "anything" | "optional-reasoning" | "reasoning" | "text" | "raw-text";
  /** `ignored`: tool calls are returned as plain text. */
  readonly toolCalls: "parsed" | "ignored";
  /** The tools of the prompt. */
  readonly tools: readonly ReadableTool[];
  /** The names that make a call, where a grammar constrains the answer: with others it is text. Absent: any name does. */
  readonly callable?: readonly string[];
}

/** Whether an answer begins where the prompt ends, rather than to go on with what the prompt has begun. */
export function beginsAnew({ beginsWith }: Pick<OutputReading, "beginsWith">): boolean {
  return beginsWith === "anything" || beginsWith === "optional-reasoning";
}
