/** Buffers streamed text and finds tags in it, across chunk boundaries. */
export class TagScanner {
  #text = "";

  push(chunk: string): void {
    this.#text += chunk;
  }

  /** Takes all of the buffered text. */
  takeAll(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }

  /**
   * Takes a tag at the beginning, and the white space before it.
   * @returns `undefined` while more text is needed to decide
   */
  takeLeadingTag(tag: string): boolean | undefined {
    const text = this.#text.trimStart();
    if (text.length < tag.length && tag.startsWith(text)) return undefined;
    if (!text.startsWith(tag)) return false;
    this.#text = text.slice(tag.length);
    return true;
  }

  /** Takes the text before a tag, and the tag; `undefined` if the tag is not there. */
  takeBeforeTag(tag: string): string | undefined {
    const index = this.#text.indexOf(tag);
    if (index < 0) return undefined;
    const before = this.#text.slice(0, index);
    this.#text = this.#text.slice(index + tag.length);
    return before;
  }

  /** Takes the text that cannot be the beginning of a tag, or of the white space before one. */
  takeSettled(tag: string): string {
    let end = this.#text.length;
    for (let length = Math.min(tag.length - 1, end); length > 0; length--) {
      if (!this.#text.endsWith(tag.slice(0, length))) continue;
      end -= length;
      break;
    }
    const settled = this.#text.slice(0, end).trimEnd();
    this.#text = this.#text.slice(settled.length);
    return settled;
  }
}
