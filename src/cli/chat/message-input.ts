/** How a line came: with the Enter key, or within a text that was pasted. */
export type LineEnding = "entered" | "pasted";

export interface EnteredMessage {
  readonly text: string;
  /** `lines`: of several lines or within quotes, so that it is no command. */
  readonly form: "line" | "lines";
}

const QUOTES = '"""';
const CONTINUATION = "\\";

/**
 * Makes messages of lines. A message is one line, unless a backslash at its end continues it, it begins with `"""`, which
 * also ends it, or its line breaks were pasted. What was pasted is taken as it is.
 */
export class MessageInput {
  #lines: string[] = [];
  #isQuoted = false;

  /** Whether a message has begun that is not complete. */
  get hasBegun(): boolean {
    return this.#isQuoted || this.#lines.length > 0;
  }

  /** @returns the message that the line completes; `undefined`: more is to come */
  add(line: string, ending: LineEnding): EnteredMessage | undefined {
    if (ending === "pasted") {
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

  /** Forgets what has begun. */
  clear(): void {
    this.#lines = [];
    this.#isQuoted = false;
  }

  #addQuoted(line: string): EnteredMessage | undefined {
    const text = line.trimEnd();
    const isEnd = text.endsWith(QUOTES);
    const content = isEnd ? text.slice(0, -QUOTES.length) : line;
    // The lines of the quotes themselves add none.
    if (content !== "" || (!isEnd && this.#lines.length > 0)) this.#lines.push(content);
    return isEnd ? { text: this.#take(), form: "lines" } : undefined;
  }

  #take(): string {
    const text = this.#lines.join("\n").trim();
    this.clear();
    return text;
  }
}
