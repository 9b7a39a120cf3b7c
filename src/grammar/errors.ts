/** Error for an invalid or unsupported grammar or schema, with its location and reason. */
export class UnsupportedGrammar extends Error {
  override readonly name = "UnsupportedGrammar";
  /** Path to the location, one step per element: `["properties", "a", "pattern"]`. */
  readonly path: readonly string[];

  constructor(path: readonly string[], reason: string) {
    super(reason);
    this.path = path;
  }
}

/** Error for an invalid or unsupported regular expression. */
export class RegexError extends Error {
  override readonly name = "RegexError";
  readonly reason: string;
  /** Index of the offending character, in code points; absent: the error is not local. */
  readonly position: number | undefined;

  constructor(reason: string, position?: number) {
    super(position === undefined ? reason : `character ${position + 1}: ${reason}`);
    this.reason = reason;
    this.position = position;
  }
}

/** Error for a grammar that exceeds its limit of work or memory. */
export class WorkLimitExceeded extends Error {
  override readonly name = "WorkLimitExceeded";

  constructor() {
    super("the grammar takes too long to compile");
  }
}
