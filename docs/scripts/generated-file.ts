/** A file that is generated, in whole or in part, from the code, other files and measurements. */
export interface GeneratedFile {
  /** Path relative to the repository's root. */
  readonly path: string;
  readonly url: URL;
  readonly generate: () => Promise<string>;
}
