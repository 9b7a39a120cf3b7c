/** A grammar that cannot be honoured, or is none: where in the client's text, and why. */
export class UnsupportedGrammar extends Error {
  override readonly name = "UnsupportedGrammar";
  /** The place, as the steps that lead to it: `["properties", "a", "pattern"]`. */
  readonly path: readonly string[];

  constructor(path: readonly string[], reason: string) {
    super(reason);
    this.path = path;
  }
}

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

/** A grammar takes more work than is allowed. */
export class WorkLimitExceeded extends Error {
  override readonly name = "WorkLimitExceeded";

  constructor() {
    super("the grammar takes too much work");
  }
}
