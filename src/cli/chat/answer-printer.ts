import type { AnswerPiece } from "./stream-answer.js";

/** Output for an answer. */
export interface AnswerOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const DIM = "\u001b[2m";
const NOT_DIM = "\u001b[22m";
/** Control characters except tabs and line breaks. */
const CONTROLS = /[^\P{Cc}\t\n]/gu;

/**
 * Prints an answer as it arrives. On a terminal, reasoning precedes it, dimmed, and control
 * characters are removed; otherwise only the unchanged text of the answer is written.
 */
export class AnswerPrinter {
  readonly #output: AnswerOutput;
  /** Kind of the piece shown last; `undefined`: none yet. */
  #shownKind: AnswerPiece["kind"] | undefined;
  #endsLine = true;

  constructor(output: AnswerOutput) {
    this.#output = output;
  }

  readonly add = ({ kind, text }: AnswerPiece): void => {
    if (!this.#output.isTTY) {
      if (kind === "text") this.#write(text);
      return;
    }
    const isFirst = this.#shownKind !== kind;
    // Models begin the text after their reasoning with empty lines.
    const visible = (isFirst ? text.trimStart() : text).replaceAll(CONTROLS, "");
    if (visible === "") return;
    if (isFirst) this.#begin(kind);
    this.#write(visible);
  };

  /** Ends the line and any dimmed text. */
  end(): void {
    this.#endReasoning();
    if (!this.#endsLine) this.#write("\n");
    this.#shownKind = undefined;
  }

  #begin(kind: AnswerPiece["kind"]): void {
    this.#endReasoning();
    if (this.#shownKind !== undefined) this.#write(this.#endsLine ? "\n" : "\n\n");
    if (kind === "reasoning") this.#output.write(DIM);
    this.#shownKind = kind;
  }

  #endReasoning(): void {
    if (this.#shownKind === "reasoning") this.#output.write(NOT_DIM);
  }

  #write(text: string): void {
    this.#output.write(text);
    this.#endsLine = text.endsWith("\n");
  }
}
