import type { OutputPart } from "../output-piece.js";

/**
 * Collects the parts of an output. White space around calls and reasoning is dropped: it is held back
 * until it is known what follows.
 */
export class OutputParts {
  #parts: OutputPart[] = [];
  /** White space that has not been passed on yet. */
  #heldSpace = "";
  /** Whether leading white space is dropped, because it follows a call or reasoning. */
  #skipsSpace = false;
  #kind: "text" | "reasoning" = "text";

  /** What the next text is. */
  get kind(): "text" | "reasoning" {
    return this.#kind;
  }

  /** Takes the parts collected since the last call. */
  take(): OutputPart[] {
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  readonly text = (text: string): void => {
    const visible = this.#skipsSpace ? text.trimStart() : text;
    if (visible === "") return;
    const settled = visible.trimEnd();
    if (settled === "") {
      this.#heldSpace += visible;
      return;
    }
    this.#append(this.#kind, this.#heldSpace + settled);
    this.#heldSpace = visible.slice(settled.length);
    this.#skipsSpace = false;
  };

  /** What follows is reasoning, or text again; white space around the change is dropped. */
  change(kind: "text" | "reasoning"): void {
    this.#dropSpace();
    this.#kind = kind;
  }

  beginCall(name: string, id: string | undefined): void {
    this.#dropSpace();
    this.#parts.push({ type: "tool-call-begin", name, ...(id !== undefined && { id }) });
  }

  /** @param text the next piece of the arguments */
  arguments(text: string): void {
    if (text !== "") this.#append("tool-call-arguments", text);
  }

  endCall(): void {
    this.#parts.push({ type: "tool-call-end" });
  }

  /** Ends the output: white space that was held back is text. */
  finish(): void {
    if (this.#heldSpace !== "") this.#append(this.#kind, this.#heldSpace);
    this.#heldSpace = "";
  }

  #dropSpace(): void {
    this.#heldSpace = "";
    this.#skipsSpace = true;
  }

  #append(type: "text" | "reasoning" | "tool-call-arguments", text: string): void {
    const last = this.#parts.at(-1);
    if (last?.type === type) this.#parts[this.#parts.length - 1] = { type, text: last.text + text };
    else this.#parts.push({ type, text });
  }
}
