import type { AnswerPiece } from "./stream-answer.js";

/** Where an answer is shown. */
export interface AnswerOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const DIM = "\u001b[2m";
const NOT_DIM = "\u001b[22m";
/** But tabs and line breaks. */
const CONTROLS = /[^\P{Cc}\t\n]/gu;

/**
 * Shows an answer as it comes. On a terminal reasoning goes before it, dimmed, and what would control the terminal is
 * left out; elsewhere there is the answer's text as it is, and nothing beside it.
 */
export class AnswerPrinter {
  readonly #output: AnswerOutput;
  /** Of what was shown last; `undefined`: nothing was. */
  #shown: AnswerPiece["kind"] | undefined;
  #endsLine = true;

  constructor(output: AnswerOutput) {
    this.#output = output;
  }

  readonly add = ({ kind, text }: AnswerPiece): void => {
    if (!this.#output.isTTY) {
      if (kind === "text") this.#write(text);
      return;
    }
    const isFirst = this.#shown !== kind;
    // Models begin what follows their reasoning with empty lines of their own.
    const visible = (isFirst ? text.trimStart() : text).replaceAll(CONTROLS, "");
    if (visible === "") return;
    if (isFirst) this.#begin(kind);
    this.#write(visible);
  };

  /** Ends the line, and what is dimmed. */
  end(): void {
    this.#endReasoning();
    if (!this.#endsLine) this.#write("\n");
    this.#shown = undefined;
  }

  #begin(kind: AnswerPiece["kind"]): void {
    this.#endReasoning();
    if (this.#shown !== undefined) this.#write(this.#endsLine ? "\n" : "\n\n");
    if (kind === "reasoning") this.#output.write(DIM);
    this.#shown = kind;
  }

  #endReasoning(): void {
    if (this.#shown === "reasoning") this.#output.write(NOT_DIM);
  }

  #write(text: string): void {
    this.#output.write(text);
    this.#endsLine = text.endsWith("\n");
  }
}
