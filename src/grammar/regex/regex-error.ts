/** A text is no regular expression that is supported. */
export class RegexError extends Error {
  override readonly name = "RegexError";
  readonly reason: string;
  /** The character to which it applies, from 0; absent: the whole expression. */
  readonly position: number | undefined;

  constructor(reason: string, position?: number) {
    super(position === undefined ? reason : `character ${position + 1}: ${reason}`);
    this.reason = reason;
    this.position = position;
  }
}
