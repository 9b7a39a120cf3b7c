/** A grammar or schema that is not valid or not supported: where in its text, and why. */
export class UnsupportedGrammar extends Error {
  override readonly name = "UnsupportedGrammar";
  /** The place, as the steps that lead to it: `["properties", "a", "pattern"]`. */
  readonly path: readonly string[];

  constructor(path: readonly string[], reason: string) {
    super(reason);
    this.path = path;
  }
}

/** A text is not a regular expression that is supported. */
export class RegexError extends Error {
  override readonly name = "RegexError";
  readonly reason: string;
  /** Index of the character to which it applies, in code points; absent: the whole expression. */
  readonly position: number | undefined;

  constructor(reason: string, position?: number) {
    super(position === undefined ? reason : `character ${position + 1}: ${reason}`);
    this.reason = reason;
    this.position = position;
  }
}

/** A grammar takes more work or memory than it is allowed. */
export class WorkLimitExceeded extends Error {
  override readonly name = "WorkLimitExceeded";

  constructor() {
    super("the grammar takes too much work");
  }
}
