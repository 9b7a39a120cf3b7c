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
