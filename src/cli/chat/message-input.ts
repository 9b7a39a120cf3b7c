/** Origin of a line: typed and ended with the Enter key, or part of a pasted text. */
export type LineOrigin = "entered" | "pasted";

export interface EnteredMessage {
  readonly text: string;
  /** `lines`: several lines or quoted text, which cannot be a command. */
  readonly form: "line" | "lines";
}

const QUOTES = '"""';
const CONTINUATION = "\\";

/**
 * Assembles messages from lines. A message is one line, unless a backslash at its end continues it,
 * it begins with `"""`, which also ends it, or its line breaks were pasted. Pasted text is taken
 * unchanged.
 */
export class MessageInput {
  #lines: string[] = [];
  #isQuoted = false;

  /** Whether a message is incomplete. */
  get hasBegun(): boolean {
    return this.#isQuoted || this.#lines.length > 0;
  }

  /** @returns the message that the line completes; `undefined` if more lines follow */
  add(line: string, origin: LineOrigin): EnteredMessage | undefined {
    if (origin === "pasted") {
      this.#lines.push(line);
      return undefined;
    }
    if (this.#isQuoted) return this.#addQuoted(line);
    if (!this.hasBegun && line.trimStart().startsWith(QUOTES)) {
      this.#isQuoted = true;
      return this.#addQuoted(line.trimStart().slice(QUOTES.length));
    }
    if (line.endsWith(CONTINUATION)) {
      this.#lines.push(line.slice(0, -CONTINUATION.length));
      return undefined;
    }
    const form = this.hasBegun ? "lines" : "line";
    this.#lines.push(line);
    return { text: this.#take(), form };
  }

  /** Discards an incomplete message. */
  clear(): void {
    this.#lines = [];
    this.#isQuoted = false;
  }

  #addQuoted(line: string): EnteredMessage | undefined {
    const text = line.trimEnd();
    const isEnd = text.endsWith(QUOTES);
    const content = isEnd ? text.slice(0, -QUOTES.length) : line;
    // A line that contains only the quotes adds no line to the message.
    if (content !== "" || (!isEnd && this.#lines.length > 0)) this.#lines.push(content);
    return isEnd ? { text: this.#take(), form: "lines" } : undefined;
  }

  #take(): string {
    const text = this.#lines.join("\n").trim();
    this.clear();
    return text;
  }
}
